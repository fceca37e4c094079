"""Augmentation, geometry, filters, colour, features, metrics and losses of kornia."""

import inspect
from types import ModuleType

import kornia
import torch
from kornia import augmentation, color, contrib, enhance, feature, filters, geometry, losses, metrics, morphology
from torch import nn
from uses import Use, Uses

uses = Uses()


def images(device: torch.device, channels: int = 3, size: int = 32) -> torch.Tensor:
    return torch.rand(2, channels, size, size, device=device)


def classes_of(module: ModuleType, prefix: str = "") -> list[str]:
    return sorted(name for name, value in vars(module).items() if inspect.isclass(value) and name.startswith(prefix))


# --- augmentation --------------------------------------------------------------------------------

ARGUMENTS: dict[str, tuple[object, ...]] = {
    "CenterCrop": (16,),
    "CenterCrop3D": ((8, 8, 8),),
    "LongestMaxSize": (24,),
    "SmallestMaxSize": (24,),
    "PadTo": ((40, 40),),
    "RandomAffine": ((-15.0, 15.0), (0.1, 0.1), (0.8, 1.2), 5.0),
    "RandomAffine3D": ((10.0, 10.0, 10.0),),
    "RandomCrop": ((16, 16),),
    "RandomCrop3D": ((8, 8, 8),),
    "RandomFisheye": (
        torch.tensor([-0.3, 0.3]),
        torch.tensor([-0.3, 0.3]),
        torch.tensor([0.9, 1.0]),
    ),
    "RandomGaussianBlur": ((3, 3), (0.1, 2.0)),
    "RandomMotionBlur": (3, 35.0, 0.5),
    "RandomMotionBlur3D": (3, 35.0, 0.5),
    "RandomRotation": (20.0,),
    "RandomRotation3D": ((10.0, 10.0, 10.0),),
    "RandomRotation90": ((1, 3),),
    "RandomResizedCrop": ((16, 16),),
    "RandomShear": ((-10.0, 10.0),),
    "RandomTranslate": ((0.1, 0.2), (0.1, 0.2)),
    "Resize": ((20, 20),),
}
NOT_ALONE = {"RandomTransplantation", "RandomTransplantation3D", "RandomDissolving"}
AUGMENTATIONS = [
    name
    for name in [*classes_of(augmentation, "Random"), *(name for name in ARGUMENTS if not name.startswith("Random"))]
    if name not in NOT_ALONE
]


def augmentation_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        kind = getattr(augmentation, name)
        more = {"p": 1.0} if "p" in inspect.signature(kind.__init__).parameters else {}
        transform = kind(*ARGUMENTS.get(name, ()), **more).to(device)
        if "3D" in name:
            transform(torch.rand(2, 1, 16, 16, 16, device=device))
        elif name == "RandomJigsaw":
            transform(images(device))
        elif name == "RandomMosaic" or name.endswith("V2"):
            transform(images(device), torch.tensor([0, 1], device=device)) if name.endswith("V2") else transform(
                images(device)
            )
        else:
            transform(images(device))
            transform(images(device))

    return use


uses.add_each("augmentation", sorted(set(AUGMENTATIONS)), augmentation_use)
uses.add_each(
    "augmentation",
    ["ColorJiggle", "ColorJitter", "PatchMix"],
    lambda name: lambda device: getattr(augmentation, name)().to(device)(images(device)),
)


@uses.add
def sequences_with_all_kinds_of_data(device: torch.device) -> None:
    sequence = augmentation.AugmentationSequential(
        augmentation.ColorJiggle(0.1, 0.1, 0.1, 0.1, p=1.0),
        augmentation.RandomAffine(30.0, p=1.0),
        augmentation.RandomHorizontalFlip(p=1.0),
        augmentation.RandomPerspective(0.2, p=1.0),
        data_keys=["input", "mask", "bbox", "keypoints"],
        same_on_batch=False,
    ).to(device)
    boxes = torch.tensor([[[4.0, 4.0], [20.0, 4.0], [20.0, 20.0], [4.0, 20.0]]], device=device)
    boxes = boxes.repeat(2, 1, 1)[:, None]
    points = torch.rand(2, 5, 2, device=device) * 30
    out = sequence(images(device), (images(device, 1) > 0.5).float(), boxes, points)
    sequence.inverse(*out)


@uses.add
def other_containers(device: torch.device) -> None:
    augmentation.ImageSequential(
        augmentation.RandomInvert(p=0.5),
        augmentation.RandomHorizontalFlip(p=0.5),
        augmentation.RandomBoxBlur(p=0.5),
        random_apply=2,
        random_apply_weights=[0.3, 0.3, 0.4],
    ).to(device)(images(device))
    augmentation.VideoSequential(
        augmentation.RandomAffine(20.0, p=1.0), augmentation.RandomGrayscale(p=1.0), data_format="BCTHW"
    ).to(device)(torch.rand(2, 3, 4, 16, 16, device=device))
    augmentation.PatchSequential(
        augmentation.RandomAffine(20.0, p=1.0),
        augmentation.RandomErasing(p=1.0),
        grid_size=(2, 2),
        patchwise_apply=False,
    ).to(device)(images(device))


@uses.add
def automatic_augmentation(device: torch.device) -> None:
    for kind in (augmentation.auto.AutoAugment, augmentation.auto.RandAugment, augmentation.auto.TrivialAugment):
        made = (kind(n=2, m=10) if kind is augmentation.auto.RandAugment else kind()).to(device)
        for _ in range(3):
            made(images(device))


@uses.add
def transplantation(device: torch.device) -> None:
    mask = torch.randint(0, 3, (2, 32, 32), device=device)
    augmentation.RandomTransplantation(p=1.0)(images(device), mask)


# --- losses and metrics --------------------------------------------------------------------------

LABELLED = ("DiceLoss", "FocalLoss", "LovaszSoftmaxLoss", "TverskyLoss")
LOSSES = {
    "DiceLoss": lambda: losses.DiceLoss(),
    "FocalLoss": lambda: losses.FocalLoss(alpha=0.5, reduction="mean"),
    "FocalLoss weighted": lambda: losses.FocalLoss(alpha=0.5, reduction="mean", weight=torch.ones(3)),
    "LovaszSoftmaxLoss": lambda: losses.LovaszSoftmaxLoss(),
    "TverskyLoss": lambda: losses.TverskyLoss(0.5, 0.5),
}
PLAIN_LOSSES = {
    "CauchyLoss": {},
    "CharbonnierLoss": {},
    "GemanMcclureLoss": {},
    "WelschLoss": {},
    "MS_SSIMLoss": {},
    "PSNRLoss": {"max_val": 1.0},
    "SSIMLoss": {"window_size": 5},
    "InverseDepthSmoothnessLoss": {},
}


def labelled_loss_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        scores = torch.randn(2, 3, 16, 16, device=device, requires_grad=True)
        labels = torch.randint(0, 3, (2, 16, 16), device=device)
        LOSSES[name]().to(device)(scores, labels).mean().backward()

    return use


def loss_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        first = images(device, 1 if name.startswith("Inverse") else 3).requires_grad_()
        getattr(losses, name)(**PLAIN_LOSSES[name]).to(device)(first, images(device)).mean().backward()

    return use


uses.add_each("labelled loss", LOSSES, labelled_loss_use)
uses.add_each("loss", PLAIN_LOSSES, loss_use)


@uses.add
def other_losses(device: torch.device) -> None:
    scores = torch.randn(2, 1, 16, 16, device=device, requires_grad=True)
    target = torch.randint(0, 2, (2, 16, 16), device=device)
    losses.BinaryFocalLossWithLogits(alpha=0.25, reduction="mean")(scores, target[:, None]).backward()
    losses.LovaszHingeLoss()(scores, target).backward()
    losses.HausdorffERLoss()(torch.cat([scores, -scores], dim=1).softmax(1), target[:, None]).backward()
    losses.TotalVariation()(images(device)).sum()
    heat = torch.rand(2, 1, 8, 8, device=device).flatten(1).softmax(1).view(2, 1, 8, 8)
    losses.js_div_loss_2d(heat, heat)
    losses.kl_div_loss_2d(heat, heat)
    losses.one_hot(target, 2, device, torch.float32)


@uses.add
def mutual_information(device: torch.device) -> None:
    first, second = torch.rand(2, 400, device=device), torch.rand(2, 400, device=device)
    losses.mutual_information_loss(first, second)
    losses.normalized_mutual_information_loss(first, second)
    losses.MILossFromRef2D(images(device, 1)[:, 0])(images(device, 1)[:, 0])


@uses.add
def scores_of_classes(device: torch.device) -> None:
    labels = torch.randint(0, 4, (2, 40), device=device)
    metrics.confusion_matrix(labels, labels.flip(1), 4)
    metrics.mean_iou(labels, labels.flip(1), 4)
    scores = torch.randn(8, 4, device=device)
    meter = metrics.AverageMeter()
    for value in metrics.accuracy(scores, torch.randint(0, 4, (8,), device=device), topk=(1, 2)):
        meter.update(value.item(), 8)
        meter.update(value, 8)


@uses.add
def scores_of_boxes(device: torch.device) -> None:
    boxes = torch.tensor([[0.0, 0.0, 10.0, 10.0], [5.0, 5.0, 20.0, 20.0]], device=device)
    metrics.mean_iou_bbox(boxes, boxes.flip(0))
    labels = torch.tensor([1, 2], device=device)
    metrics.mean_average_precision(
        [boxes], [labels], [torch.tensor([0.8, 0.6], device=device)], [boxes + 1], [labels], 3
    )


@uses.add
def scores_of_images(device: torch.device) -> None:
    first, second = images(device), images(device)
    metrics.psnr(first, second, 1.0)
    metrics.ssim(first, second, 5)
    metrics.SSIM(5).to(device)(first, second)
    metrics.ssim3d(torch.rand(1, 1, 8, 8, 8, device=device), torch.rand(1, 1, 8, 8, 8, device=device), 3)
    metrics.aepe(torch.rand(2, 8, 8, 2, device=device), torch.rand(2, 8, 8, 2, device=device))


# --- colour, enhancement, filters, morphology ----------------------------------------------------

OF_RGB = sorted(
    name
    for name in vars(color)
    if name.startswith("rgb_to_") and not name.endswith(("raw", "rgb255", "rgba", "y", "downscaled"))
)
TO_RGB = (
    "hls_to_rgb",
    "hsv_to_rgb",
    "lab_to_rgb",
    "linear_rgb_to_rgb",
    "luv_to_rgb",
    "xyz_to_rgb",
    "ycbcr_to_rgb",
    "yuv_to_rgb",
)
uses.add_each("colour", OF_RGB, lambda name: lambda device: getattr(color, name)(images(device)))
uses.add_each("colour", TO_RGB, lambda name: lambda device: getattr(color, name)(images(device)))


@uses.add
def other_colours(device: torch.device) -> None:
    color.rgb_to_raw(images(device), color.CFA.BG)
    color.raw_to_rgb(images(device, 1), color.CFA.GB)
    color.grayscale_to_rgb(images(device, 1))
    color.apply_colormap((images(device, 1) * 255).long(), color.ColorMap("hot", 256, device=device))
    color.sepia(images(device))
    color.rgba_to_rgb(images(device, 4))
    color.rgb_to_rgba(images(device), 0.5)


ENHANCED = {
    "adjust_brightness": (0.2,),
    "adjust_contrast": (0.7,),
    "adjust_contrast_with_mean_subtraction": (0.7,),
    "adjust_gamma": (2.2,),
    "adjust_hue": (0.3,),
    "adjust_log": (1.0,),
    "adjust_saturation": (1.3,),
    "adjust_sigmoid": (),
    "equalize": (),
    "equalize_clahe": (),
    "invert": (),
    "normalize_min_max": (),
    "posterize": (3,),
    "sharpness": (0.8,),
    "solarize": (0.5,),
    "integral_image": (),
}
uses.add_each("enhance", ENHANCED, lambda name: lambda device: getattr(enhance, name)(images(device), *ENHANCED[name]))


@uses.add
def enhancement_with_tensors(device: torch.device) -> None:
    factor = torch.tensor([0.2, 0.4], device=device)
    enhance.adjust_brightness(images(device), factor)
    enhance.adjust_gamma(images(device), factor, factor)
    enhance.solarize(images(device), factor, factor / 2)
    enhance.posterize(images(device), torch.tensor([3, 4], device=device))
    enhance.sharpness(images(device), factor)
    mean, deviation = torch.rand(3, device=device), torch.rand(3, device=device) + 0.5
    enhance.normalize(images(device), mean, deviation)
    enhance.denormalize(images(device), mean, deviation)
    enhance.Normalize((0.5, 0.5, 0.5), (0.2, 0.2, 0.2)).to(device)(images(device))
    enhance.shift_rgb(images(device), *torch.rand(3, 2, device=device))
    enhance.add_weighted(images(device), 0.5, images(device), 0.5, 0.1)


@uses.add
def histograms(device: torch.device) -> None:
    values = torch.rand(2, 100, device=device)
    bins, width = torch.linspace(0, 1, 16, device=device), torch.tensor(0.1, device=device)
    enhance.histogram(values, bins, width)
    enhance.histogram2d(values, values, bins, width)
    enhance.image_histogram2d(images(device), 0.0, 1.0, 16)
    contrib.histogram_matching(images(device)[0], images(device)[1])


@uses.add
def whitening(device: torch.device) -> None:
    data = torch.rand(20, 6, device=device)
    enhance.ZCAWhitening().fit(data)(data)
    enhance.zca_whiten(data)


@uses.add
def jpeg(device: torch.device) -> None:
    quality = torch.tensor([50.0, 80.0], device=device)
    enhance.jpeg_codec_differentiable(images(device), quality)


FILTERED = {
    "bilateral_blur": ((3, 3), 0.1, (1.5, 1.5)),
    "blur_pool2d": (3,),
    "box_blur": ((3, 3),),
    "canny": (),
    "gaussian_blur2d": ((3, 3), (1.5, 1.5)),
    "laplacian": (3,),
    "max_blur_pool2d": (3,),
    "median_blur": ((3, 3),),
    "motion_blur": (5, 90.0, 1.0),
    "sobel": (),
    "spatial_gradient": (),
    "unsharp_mask": ((3, 3), (1.5, 1.5)),
    "otsu_threshold": (),
    "in_range": ((0.2, 0.2, 0.2), (0.8, 0.8, 0.8)),
    "edge_aware_blur_pool2d": (3,),
}
uses.add_each("filter", FILTERED, lambda name: lambda device: getattr(filters, name)(images(device), *FILTERED[name]))


@uses.add
def filter_modules(device: torch.device) -> None:
    for module in (
        filters.Canny(),
        filters.GaussianBlur2d((3, 3), (1.0, 1.0)),
        filters.Laplacian(3),
        filters.MedianBlur((3, 3)),
        filters.MotionBlur(3, 35.0, 0.5),
        filters.Sobel(),
        filters.SpatialGradient(),
        filters.UnsharpMask((3, 3), (1.0, 1.0)),
    ):
        module.to(device)(images(device))
    filters.guided_blur(images(device), images(device), 3, 0.1)
    filters.joint_bilateral_blur(images(device), images(device), (3, 3), 0.1, (1.0, 1.0))
    filters.filter2d(images(device), torch.rand(1, 3, 3, device=device), normalized=True)
    filters.filter3d(torch.rand(1, 1, 8, 8, 8, device=device), torch.rand(1, 3, 3, 3, device=device))
    filters.gaussian_blur2d(images(device), (3, 3), torch.rand(2, 2, device=device) + 0.5)
    filters.fft_conv(images(device), torch.rand(1, 3, 3, device=device))


MORPHOLOGY = ("dilation", "erosion", "opening", "closing", "gradient", "top_hat", "bottom_hat")
uses.add_each(
    "morphology",
    MORPHOLOGY,
    lambda name: lambda device: getattr(morphology, name)(images(device), torch.ones(3, 3, device=device)),
)


# --- geometry ------------------------------------------------------------------------------------


def points(device: torch.device, count: int = 12, size: int = 2) -> torch.Tensor:
    return torch.rand(2, count, size, device=device) * 20


@uses.add
def warps(device: torch.device) -> None:
    matrix = torch.eye(3, device=device).repeat(2, 1, 1)
    geometry.warp_perspective(images(device), matrix, (24, 24))
    geometry.warp_affine(images(device), matrix[:, :2], (24, 24))
    geometry.warp_perspective(
        images(device), matrix, (24, 24), padding_mode="fill", fill_value=torch.ones(3, device=device)
    )
    geometry.warp_affine(
        images(device), matrix[:, :2], (24, 24), padding_mode="fill", fill_value=torch.ones(3, device=device)
    )
    geometry.rotate(images(device), torch.tensor([10.0, 20.0], device=device))
    geometry.translate(images(device), torch.rand(2, 2, device=device))
    geometry.scale(images(device), torch.rand(2, 2, device=device) + 0.5)
    geometry.shear(images(device), torch.rand(2, 2, device=device) * 0.1)
    geometry.resize(images(device), (20, 24), antialias=True)
    geometry.rescale(images(device), 0.5)
    geometry.hflip(images(device))
    geometry.elastic_transform2d(images(device), torch.rand(2, 2, 32, 32, device=device))
    grid = torch.rand(2, 32, 32, device=device)
    geometry.remap(images(device), grid, grid, normalized_coordinates=True)
    geometry.pyrdown(images(device))
    geometry.build_pyramid(images(device), 3)
    geometry.build_laplacian_pyramid(images(device), 3)
    geometry.ScalePyramid(min_size=8).to(device)(images(device, 1))


@uses.add
def crops(device: torch.device) -> None:
    boxes = torch.tensor([[[2.0, 2.0], [20.0, 2.0], [20.0, 20.0], [2.0, 20.0]]], device=device).repeat(2, 1, 1)
    geometry.crop_and_resize(images(device), boxes, (16, 16))
    geometry.crop_by_boxes(images(device), boxes, boxes)
    geometry.center_crop(images(device), (16, 16))
    geometry.crop_by_indices(images(device), boxes.long())
    geometry.bbox.bbox_to_mask(boxes, 32, 32)
    geometry.bbox.infer_bbox_shape(boxes)
    geometry.bbox.validate_bbox(boxes)
    geometry.bbox.bbox_generator(*(torch.tensor([n, n], device=device) for n in (1, 1, 5, 6)))
    geometry.transform_bbox(torch.eye(3, device=device).repeat(2, 1, 1), boxes)


@uses.add
def boxes_and_key_points(device: torch.device) -> None:
    corners = torch.tensor([[[1.0, 2.0, 10.0, 12.0], [3.0, 4.0, 20.0, 22.0]]], device=device)
    for mode in ("xyxy", "xyxy_plus", "xywh"):
        made = geometry.boxes.Boxes.from_tensor(corners, mode=mode)
        made.to_tensor(mode)
        made.to_mask(32, 32)
        made.compute_area()
        made.clamp(torch.tensor([[0.0, 0.0]], device=device), torch.tensor([[20.0, 20.0]], device=device))
        made.filter_boxes_by_area(min_area=4.0)
        made.transform_boxes(torch.eye(3, device=device)[None])
    geometry.boxes.Boxes.from_tensor([corners[0], corners[0][:1]], mode="xyxy").to_tensor("xyxy")
    geometry.keypoints.Keypoints(points(device)).transform_keypoints(torch.eye(3, device=device).repeat(2, 1, 1))
    geometry.nms(corners[0], torch.tensor([0.8, 0.6], device=device), 0.5)


@uses.add
def homographies(device: torch.device) -> None:
    first = points(device)
    second = first + torch.rand_like(first) * 0.1
    weights = torch.rand(2, 12, device=device)
    found = geometry.find_homography_dlt(first, second, weights)
    geometry.find_homography_dlt(first, second, weights, solver="svd")
    geometry.find_homography_dlt_iterated(first, second, weights)
    geometry.symmetric_transfer_error(first, second, found)
    geometry.oneway_transfer_error(first, second, found)
    geometry.homography.sample_is_valid_for_homography(first[:, :4], second[:, :4])
    geometry.get_perspective_transform(first[:, :4], second[:, :4])
    lines = torch.rand(2, 8, 2, 2, device=device) * 20
    geometry.find_homography_lines_dlt(lines, lines + 0.1)
    warper = geometry.HomographyWarper(16, 16)
    warper(images(device), found)


@uses.add
def epipolar(device: torch.device) -> None:
    first = torch.rand(2, 12, 2, device=device)
    second = torch.rand(2, 12, 2, device=device)
    fundamental = geometry.find_fundamental(first, second, torch.ones(2, 12, device=device))
    geometry.find_fundamental(first[:, :7], second[:, :7], method="7POINT")
    geometry.sampson_epipolar_distance(first, second, fundamental)
    geometry.symmetrical_epipolar_distance(first, second, fundamental)
    geometry.compute_correspond_epilines(first, fundamental)
    cameras = torch.eye(3, device=device).repeat(2, 1, 1)
    essential = geometry.essential_from_fundamental(fundamental, cameras, cameras)
    geometry.decompose_essential_matrix(essential)
    geometry.motion_from_essential(essential)
    geometry.motion_from_essential_choose_solution(essential, cameras, cameras, first, second)
    projection = torch.rand(2, 3, 4, device=device)
    geometry.triangulate_points(projection, torch.rand(2, 3, 4, device=device), first, second)
    geometry.KRt_from_projection(projection)
    geometry.epipolar.normalize_points(first)


@uses.add
def essential_matrices(device: torch.device) -> None:
    first = torch.rand(2, 5, 2, device=device)
    geometry.find_essential(first, torch.rand(2, 5, 2, device=device))


@uses.add
def consensus(device: torch.device) -> None:
    first = torch.rand(40, 2, device=device) * 20
    second = first + 1.0 + torch.rand_like(first) * 0.01
    for kind in ("homography", "fundamental"):
        geometry.RANSAC(kind, inl_th=0.5, max_iter=3, batch_size=64).to(device)(first, second)
    lines = torch.rand(20, 2, 2, device=device) * 20
    geometry.RANSAC("homography_from_linesegments", inl_th=0.5, max_iter=2, batch_size=64).to(device)(
        lines, lines + 0.1
    )


@uses.add
def conversions(device: torch.device) -> None:
    axis = torch.rand(4, 3, device=device)
    rotation = geometry.axis_angle_to_rotation_matrix(axis)
    quaternion = geometry.rotation_matrix_to_quaternion(rotation)
    geometry.quaternion_to_rotation_matrix(quaternion)
    geometry.quaternion_to_axis_angle(quaternion)
    geometry.rotation_matrix_to_axis_angle(rotation)
    geometry.quaternion_exp_to_log(quaternion)
    geometry.quaternion_log_to_exp(axis)
    geometry.euler_from_quaternion(*quaternion.unbind(1))
    geometry.convert_points_to_homogeneous(points(device))
    geometry.convert_points_from_homogeneous(points(device, 5, 3))
    geometry.normalize_pixel_coordinates(points(device), 32, 32)
    geometry.denormalize_pixel_coordinates(points(device), 32, 32)
    geometry.cart2pol(*torch.rand(2, 5, device=device))
    geometry.normalize_homography(torch.eye(3, device=device)[None], (8, 8), (8, 8))


@uses.add
def cameras(device: torch.device) -> None:
    intrinsics = torch.eye(4, device=device).repeat(2, 1, 1)
    height, width = torch.tensor([32, 32], device=device), torch.tensor([32, 32], device=device)
    camera = geometry.PinholeCamera(intrinsics, intrinsics.clone(), height, width)
    camera.project(torch.rand(2, 1, 3, device=device) + 1)
    camera.unproject(torch.rand(2, 1, 2, device=device), torch.rand(2, 1, 1, device=device))
    camera.scale(torch.tensor([0.5, 0.5], device=device))
    matrix = torch.eye(3, device=device).repeat(2, 1, 1)
    geometry.undistort_points(points(device), matrix, torch.rand(2, 4, device=device) * 0.01)
    geometry.distort_points(points(device), matrix, torch.rand(2, 4, device=device) * 0.01)
    geometry.undistort_image(images(device), matrix, torch.rand(2, 4, device=device) * 0.01)
    depth = torch.rand(2, 1, 32, 32, device=device) + 1
    geometry.depth_to_3d(depth, matrix)
    geometry.depth_to_normals(depth, matrix)
    geometry.warp_frame_depth(images(device), depth, intrinsics, matrix)
    world = torch.rand(1, 8, 3, device=device)
    geometry.solve_pnp_dlt(world, torch.rand(1, 8, 2, device=device), matrix[:1])


@uses.add
def lie_groups(device: torch.device) -> None:
    rotation = geometry.So3.exp(torch.rand(2, 3, device=device))
    rotation.log()
    (rotation * rotation).matrix()
    pose = geometry.Se3.exp(torch.rand(2, 6, device=device))
    pose.log()
    pose.inverse()
    geometry.So2.exp(torch.rand(2, device=device)).log()
    geometry.Se2.exp(torch.rand(2, 3, device=device)).log()
    quaternion = geometry.Quaternion.random(2, device=device)
    (quaternion * quaternion.inv()).matrix()
    quaternion.slerp(quaternion, 0.3)


@uses.add
def peaks(device: torch.device) -> None:
    heat = torch.rand(2, 1, 16, 16, device=device)
    geometry.conv_soft_argmax2d(heat)
    geometry.spatial_soft_argmax2d(heat)
    geometry.render_gaussian2d(torch.rand(2, 2, device=device), torch.rand(2, 2, device=device) + 0.1, (8, 8))
    geometry.nms2d(heat, (3, 3))
    volume = torch.rand(1, 1, 3, 12, 12, device=device)
    geometry.conv_soft_argmax3d(volume)
    geometry.conv_quad_interp3d(volume)
    geometry.nms3d(volume, (3, 3, 3))


@uses.add
def lines_and_planes(device: torch.device) -> None:
    geometry.fit_line(points(device))
    geometry.fit_plane(torch.rand(12, 3, device=device))
    line = geometry.ParametrizedLine.through(torch.rand(2, device=device), torch.rand(2, device=device))
    line.distance(torch.rand(2, device=device))
    geometry.solve_quadratic(torch.rand(4, 3, device=device))
    geometry.solve_cubic(torch.rand(4, 4, device=device))


@uses.add
def registration(device: torch.device) -> None:
    registrator = geometry.ImageRegistrator("similarity", num_iterations=4, pyramid_levels=2).to(device)
    registrator.register(images(device)[:1], images(device)[:1])


@uses.add
def thin_plates(device: torch.device) -> None:
    centers = torch.rand(2, 5, 2, device=device)
    kernel, affine = geometry.get_tps_transform(centers, centers + 0.1)
    geometry.warp_points_tps(centers, centers, kernel, affine)
    geometry.warp_image_tps(images(device), centers, kernel, affine)


# --- features ------------------------------------------------------------------------------------

RESPONSES = ("gftt_response", "harris_response", "hessian_response")
uses.add_each("response", RESPONSES, lambda name: lambda device: getattr(feature, name)(images(device, 1)))
PATCHES = ("HardNet", "HardNet8", "HyNet", "SOSNet", "TFeat", "SIFTDescriptor", "OriNet")


def patch_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made = getattr(feature, name)(*((32,) if name.startswith("SIFT") else (False,))).to(device).eval()
        made(torch.rand(4, 1, 32, 32, device=device))

    return use


uses.add_each("patches", PATCHES, patch_use)
MATCHES: dict[str, tuple[object, ...]] = {
    "match_nn": (),
    "match_mnn": (),
    "match_snn": (0.95,),
    "match_smnn": (0.95,),
}


def match_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        getattr(feature, name)(torch.rand(30, 16, device=device), torch.rand(25, 16, device=device), *MATCHES[name])

    return use


def frames(device: torch.device, count: int = 20) -> torch.Tensor:
    centers = torch.rand(1, count, 2, device=device) * 40 + 10
    return feature.laf_from_center_scale_ori(
        centers, torch.rand(1, count, 1, 1, device=device) * 5 + 3, torch.rand(1, count, 1, device=device) * 90
    )


uses.add_each("matching", MATCHES, match_use)


@uses.add
def matching_with_geometry(device: torch.device) -> None:
    first, second = torch.rand(20, 16, device=device), torch.rand(20, 16, device=device)
    feature.match_fginn(first, second, frames(device), frames(device))
    feature.match_adalam(first, second, frames(device), frames(device))
    feature.DescriptorMatcher("smnn", 0.95)(first, second)


@uses.add
def local_frames(device: torch.device) -> None:
    lafs = frames(device)
    image = images(device, 1, 64)[:1]
    feature.extract_patches_from_pyramid(image, lafs, 16)
    feature.extract_patches_simple(image, lafs, 16)
    feature.laf_is_inside_image(lafs, image)
    feature.laf_to_boundary_points(lafs)
    feature.get_laf_scale(lafs)
    feature.get_laf_orientation(lafs)
    feature.make_upright(lafs)
    feature.ellipse_to_laf(torch.rand(1, 4, 5, device=device) + 0.5)
    feature.perspective_transform_lafs(torch.eye(3, device=device)[None], lafs)
    feature.LAFOrienter(16).to(device)(lafs, image)
    feature.LAFAffineShapeEstimator(16).to(device)(lafs, image)


@uses.add
def detectors(device: torch.device) -> None:
    image = images(device, 1, 64)[:1]
    feature.ScaleSpaceDetector(20).to(device)(image)
    feature.ScaleSpaceDetector(
        20, resp_module=feature.BlobHessian(), subpix_module=geometry.ConvQuadInterp3d(10), mr_size=6.0
    ).to(device)(image)
    feature.MultiResolutionDetector(feature.CornerGFTT(), num_features=30).to(device)(image)
    feature.SIFTFeature(20).to(device)(image)
    feature.DenseSIFTDescriptor().to(device)(image)


@uses.add
def keynet(device: torch.device) -> None:
    image = images(device, 1, 64)[:1]
    feature.KeyNetDetector(False, 20).to(device).eval()(image)
    feature.KeyNet(False).to(device).eval()(image)


@uses.add
def disk(device: torch.device) -> None:
    model = feature.DISK().to(device).eval()
    with torch.inference_mode():
        model(images(device, 3, 64), n=20, pad_if_not_divisible=True)


@uses.add
def xfeat(device: torch.device) -> None:
    model = feature.XFeat().to(device).eval()
    with torch.inference_mode():
        model.detectAndCompute(images(device, 3, 64), top_k=20)


@uses.add
def dense_matching(device: torch.device) -> None:
    model = feature.LoFTR(pretrained=None).to(device).eval()
    with torch.inference_mode():
        model({"image0": images(device, 1, 64), "image1": images(device, 1, 64)})


@uses.add
def light_glue(device: torch.device) -> None:
    model = feature.LightGlue(features=None, input_dim=16, descriptor_dim=32, n_layers=2, num_heads=2, flash=False)
    model = model.to(device).eval()
    size = torch.tensor([[64, 64]], device=device)
    given = [
        {"keypoints": points(device)[:1], "descriptors": torch.rand(1, 12, 16, device=device), "image_size": size}
        for _ in range(2)
    ]
    with torch.inference_mode():
        model({"image0": given[0], "image1": given[1]})


# --- the rest ------------------------------------------------------------------------------------


@uses.add
def patches_and_components(device: torch.device) -> None:
    extracted = contrib.extract_tensor_patches(images(device), 8, 8)
    contrib.combine_tensor_patches(extracted, (32, 32), 8, 8)
    contrib.connected_components((images(device, 1) > 0.5).float(), num_iterations=10)
    contrib.distance_transform((images(device, 1) > 0.5).float())
    contrib.diamond_square((1, 1, 17, 17), device=device)


@uses.add
def clusters(device: torch.device) -> None:
    made = contrib.KMeans(3, None, tolerance=1e-3, max_iterations=10, seed=0)
    data = torch.rand(30, 2, device=device)
    made.fit(data)
    made.predict(data[:5])


@uses.add
def transformers(device: torch.device) -> None:
    model = contrib.TinyViT(img_size=64, num_classes=4, depths=[1, 1, 1, 1]).to(device)
    model(images(device, 3, 64)).sum().backward()


@uses.add
def helpers(device: torch.device) -> None:
    kornia.utils.draw_rectangle(images(device), torch.tensor([[[2, 2, 10, 10]]] * 2, device=device))
    kornia.utils.draw_line(
        images(device)[0],
        torch.tensor([2, 2], device=device),
        torch.tensor([20, 25], device=device),
        torch.tensor([1.0, 0.0, 0.0], device=device),
    )
    kornia.utils.draw_convex_polygon(
        images(device), points(device, 4), torch.tensor([[1.0, 0.0, 0.0]] * 2, device=device)
    )
    kornia.utils.tensor_to_image(images(device)[0])
    kornia.utils.one_hot(torch.randint(0, 3, (2, 4), device=device), 3, device, torch.float32)
    kornia.utils.create_meshgrid(4, 4, device=device)


@uses.add
def training_with_augmentation(device: torch.device) -> None:
    augment = nn.Sequential(
        augmentation.RandomHorizontalFlip(), augmentation.RandomAffine(10.0), augmentation.RandomErasing()
    ).to(device)
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 3)).to(
        device
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(augment(images(device))), torch.tensor([0, 2], device=device))
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    uses.main()
