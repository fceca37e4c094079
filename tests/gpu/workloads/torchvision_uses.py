"""Detection, segmentation, classification, transforms, operations and drawing of torchvision."""

import inspect

import torch
from torch import nn
from torchvision import models, ops, tv_tensors, utils
from torchvision.transforms import functional, v2
from torchvision.transforms.v2 import functional as functional_v2
from uses import Use, Uses

CLASSES = 5
uses = Uses()

DETECTION = {
    "fasterrcnn_resnet50_fpn": {},
    "fasterrcnn_mobilenet_v3_large_320_fpn": {},
    "fcos_resnet50_fpn": {},
    "retinanet_resnet50_fpn": {},
    "retinanet_resnet50_fpn_v2": {},
    "ssd300_vgg16": {},
    "ssdlite320_mobilenet_v3_large": {},
    "maskrcnn_resnet50_fpn": {},
    "keypointrcnn_resnet50_fpn": {"num_keypoints": 4},
}
SEGMENTATION = ("fcn_resnet50", "deeplabv3_mobilenet_v3_large", "lraspp_mobilenet_v3_large")
CLASSIFICATION = (
    "alexnet",
    "densenet121",
    "efficientnet_b0",
    "efficientnet_v2_s",
    "googlenet",
    "convnext_tiny",
    "maxvit_t",
    "mnasnet0_5",
    "mobilenet_v2",
    "mobilenet_v3_small",
    "regnet_y_400mf",
    "resnet18",
    "shufflenet_v2_x0_5",
    "squeezenet1_1",
    "swin_t",
    "swin_v2_t",
    "vgg11",
    "vit_b_16",
)
VIDEO = ("r3d_18", "mc3_18", "s3d", "mvit_v2_s", "swin3d_t")


def boxes_on(device: torch.device, count: int = 12) -> torch.Tensor:
    corner = torch.rand(count, 2) * 40
    return torch.cat([corner, corner + 5 + torch.rand(count, 2) * 20], dim=1).to(device)


def targets_on(device: torch.device, size: int, keypoints: int = 4) -> list[dict[str, torch.Tensor]]:
    boxes = torch.tensor([[10.0, 10.0, 60.0, 70.0], [20.0, 30.0, 90.0, 80.0]])
    points = torch.cat([boxes[:, None, :2] + 5 + torch.rand(2, keypoints, 2) * 20, torch.ones(2, keypoints, 1)], dim=2)
    masks = torch.zeros(2, size, size, dtype=torch.uint8)
    masks[:, 20:60, 20:60] = 1
    target = {"boxes": boxes, "labels": torch.tensor([1, 1]), "masks": masks, "keypoints": points}
    return [{name: value.to(device) for name, value in target.items()} for _ in range(2)]


def detection_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        classes = 2 if "keypoint" in name else CLASSES
        model = models.detection.__dict__[name](
            weights=None, weights_backbone=None, num_classes=classes, **DETECTION[name]
        )
        model.to(device).train()
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)
        images = [torch.rand(3, 128, 128).to(device) for _ in range(2)]
        losses = model(images, targets_on(device, 128))
        loss = sum(losses.values())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.eval()
        if hasattr(model, "roi_heads"):
            model.roi_heads.score_thresh = 0.0
        elif hasattr(model, "score_thresh"):
            model.score_thresh = 0.0
        with torch.no_grad():
            model(images)

    return use


def segmentation_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = models.segmentation.__dict__[name](weights=None, weights_backbone=None, num_classes=CLASSES).to(device)
        images = torch.rand(2, 3, 96, 96, device=device)
        labels = torch.randint(0, CLASSES, (2, 96, 96), device=device)
        nn.functional.cross_entropy(model(images)["out"], labels).backward()
        model.eval()
        with torch.inference_mode():
            model(images)["out"].argmax(1)

    return use


def classification_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = models.get_model(name, weights=None, num_classes=CLASSES).to(device)
        size = 256 if name == "swin_v2_t" else 224
        images = torch.rand(2, 3, size, size, device=device)
        out = model(images)
        out = out.logits if hasattr(out, "logits") else out
        nn.functional.cross_entropy(out, torch.tensor([0, 1], device=device)).backward()
        model.eval()
        with torch.inference_mode():
            model(images)

    return use


def video_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        model = models.get_model(name, weights=None, num_classes=CLASSES).to(device).eval()
        size = 224 if name in ("mvit_v2_s", "s3d") else 112
        with torch.inference_mode():
            model(torch.rand(1, 3, 16, size, size, device=device))

    return use


ARGUMENTS = {
    "CenterCrop": (20,),
    "ColorJitter": (0.3, 0.3, 0.3, 0.1),
    "ConvertBoundingBoxFormat": ("CXCYWH",),
    "FiveCrop": (20,),
    "GaussianBlur": (3,),
    "Normalize": ([0.5, 0.4, 0.3], [0.2, 0.2, 0.2]),
    "Pad": (4,),
    "RandomAdjustSharpness": (2.0, 1.0),
    "RandomAffine": (20, (0.1, 0.1), (0.8, 1.2), 10),
    "RandomAutocontrast": (1.0,),
    "RandomCrop": (24,),
    "RandomEqualize": (1.0,),
    "RandomErasing": (1.0,),
    "RandomGrayscale": (1.0,),
    "RandomHorizontalFlip": (1.0,),
    "RandomInvert": (1.0,),
    "RandomPerspective": (0.5, 1.0),
    "RandomPosterize": (3, 1.0),
    "RandomResize": (16, 24),
    "RandomResizedCrop": (24,),
    "RandomRotation": (20,),
    "RandomShortestSize": ([20, 24],),
    "RandomSolarize": (0.5, 1.0),
    "RandomVerticalFlip": (1.0,),
    "Resize": (24,),
    "ScaleJitter": ((24, 24),),
    "TenCrop": (20,),
    "ToDtype": (torch.float32,),
    "UniformTemporalSubsample": (2,),
}
"""Of transforms that need some, or that act by chance without."""
OF_BYTES = {"RandomEqualize", "RandomPosterize", "JPEG", "AutoAugment", "RandAugment", "AugMix", "TrivialAugmentWide"}
PLAIN = ARGUMENTS.keys() | {
    "AugMix",
    "AutoAugment",
    "ClampBoundingBoxes",
    "ElasticTransform",
    "GaussianNoise",
    "Grayscale",
    "RandAugment",
    "RandomChannelPermutation",
    "RandomIoUCrop",
    "RandomPhotometricDistort",
    "RandomZoomOut",
    "SanitizeBoundingBoxes",
    "ToPureTensor",
    "TrivialAugmentWide",
}
IMAGES_ONLY = {"AugMix", "AutoAugment", "RandAugment", "TrivialAugmentWide", "FiveCrop", "TenCrop"}


def transform_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        transform = getattr(v2, name)(*ARGUMENTS.get(name, ()))
        bytes_ = (torch.rand(3, 32, 32, device=device) * 255).to(torch.uint8)
        image = tv_tensors.Image(bytes_ if name in OF_BYTES else bytes_ / 255)
        if name == "UniformTemporalSubsample":
            transform(tv_tensors.Video(torch.rand(4, 3, 16, 16, device=device)))
            return
        for _ in range(3):
            if name in IMAGES_ONLY:
                transform(image)
                continue
            boxes = tv_tensors.BoundingBoxes(
                torch.tensor([[2.0, 2.0, 20.0, 20.0], [5.0, 6.0, 30.0, 28.0]], device=device),
                format="XYXY",
                canvas_size=(32, 32),
            )
            masks = tv_tensors.Mask(torch.ones(2, 32, 32, dtype=torch.bool, device=device))
            transform({"image": image, "boxes": boxes, "masks": masks, "labels": torch.tensor([1, 2], device=device)})

    return use


uses.add_each("detection", DETECTION, detection_use)
uses.add_each("segmentation", SEGMENTATION, segmentation_use)
uses.add_each("classification", CLASSIFICATION, classification_use)
uses.add_each("video", VIDEO, video_use)
uses.add_each("transform", sorted(PLAIN), transform_use)


@uses.add
def optical_flow(device: torch.device) -> None:
    model = models.optical_flow.raft_small(weights=None).to(device)
    first, second = torch.rand(1, 3, 128, 128, device=device), torch.rand(1, 3, 128, 128, device=device)
    flow = model(first, second, num_flow_updates=2)[-1]
    flow.sum().backward()
    utils.flow_to_image(flow.detach())


@uses.add
def quantization_free_features(device: torch.device) -> None:
    model = models.feature_extraction.create_feature_extractor(models.resnet18(weights=None), ["layer2", "layer4"])
    features = model.to(device)(torch.rand(1, 3, 64, 64, device=device))
    pyramid = ops.FeaturePyramidNetwork([128, 512], 32).to(device)
    pooled = pyramid(features)
    pool = ops.MultiScaleRoIAlign(["layer2", "layer4"], 3, 2)
    pool(pooled, [boxes_on(device)], [(64, 64)]).sum().backward()


@uses.add
def suppression(device: torch.device) -> None:
    boxes, scores = boxes_on(device), torch.rand(12, device=device)
    ops.nms(boxes, scores, 0.3)
    ops.batched_nms(boxes, scores, torch.arange(12, device=device) % 3, 0.3)
    many = boxes_on(device, 2000)
    ops.batched_nms(many, torch.rand(2000, device=device), torch.arange(2000, device=device) % 3, 0.3)
    ops.remove_small_boxes(boxes, 8.0)
    ops.clip_boxes_to_image(boxes, (40, 40))


@uses.add
def box_operations(device: torch.device) -> None:
    boxes, others = boxes_on(device), boxes_on(device)
    for function in (ops.box_iou, ops.generalized_box_iou, ops.distance_box_iou, ops.complete_box_iou):
        function(boxes, others)
    ops.box_area(boxes)
    for layout in ("xywh", "cxcywh"):
        ops.box_convert(ops.box_convert(boxes, "xyxy", layout), layout, "xyxy")
    rotated = ops.box_convert(torch.rand(4, 5, device=device) * 20, "xywhr", "cxcywhr")
    ops.box_convert(rotated, "cxcywhr", "xyxyxyxy")
    masks = torch.zeros(3, 32, 32, device=device)
    masks[:, 4:20, 6:18] = 1
    ops.masks_to_boxes(masks)


@uses.add
def box_losses(device: torch.device) -> None:
    for function in (ops.generalized_box_iou_loss, ops.distance_box_iou_loss, ops.complete_box_iou_loss):
        for reduction in ("none", "mean", "sum"):
            boxes = boxes_on(device).requires_grad_()
            function(boxes, boxes_on(device), reduction=reduction).sum().backward()
    logits = torch.randn(6, 4, device=device, requires_grad=True)
    ops.sigmoid_focal_loss(logits, (logits > 0).float(), reduction="mean").backward()


@uses.add
def regions(device: torch.device) -> None:
    features = torch.rand(2, 8, 32, 32, device=device, requires_grad=True)
    boxes = [boxes_on(device, 4), boxes_on(device, 3)]
    ops.roi_align(features, boxes, 4, 0.5, 2, aligned=True).sum().backward()
    ops.RoIAlign(4, 0.5, -1)(features, boxes)
    ops.roi_pool(features, boxes, 4, 0.5)
    ops.ps_roi_align(features, boxes, 2, 0.5)
    ops.ps_roi_pool(features, boxes, 2, 0.5)


@uses.add
def deformable_convolution(device: torch.device) -> None:
    layer = ops.DeformConv2d(4, 4, 3, padding=1).to(device)
    image = torch.rand(1, 4, 12, 12, device=device)
    layer(image, torch.rand(1, 18, 12, 12, device=device), torch.rand(1, 9, 12, 12, device=device)).sum().backward()


@uses.add
def layers(device: torch.device) -> None:
    x = torch.rand(2, 16, 8, 8, device=device, requires_grad=True)
    for layer in (
        ops.DropBlock2d(0.3, 3),
        ops.StochasticDepth(0.3, "row"),
        ops.SqueezeExcitation(16, 4),
        ops.FrozenBatchNorm2d(16),
        ops.Conv2dNormActivation(16, 16),
    ):
        layer.to(device)(x).sum().backward()
    ops.MLP(8, [16, 4]).to(device)(torch.rand(2, 8, device=device))
    ops.drop_block3d(torch.rand(1, 2, 6, 6, 6, device=device), 0.3, 3)


@uses.add
def drawing(device: torch.device) -> None:
    image = (torch.rand(3, 64, 64, device=device) * 255).to(torch.uint8)
    boxes = boxes_on(device, 3)
    utils.draw_bounding_boxes(image, boxes, labels=["a", "b", "c"], colors="red", fill=True)
    masks = torch.zeros(2, 64, 64, dtype=torch.bool, device=device)
    masks[0, 10:30, 10:30] = True
    masks[1, 20:50, 20:50] = True
    utils.draw_segmentation_masks(image, masks, alpha=0.6)
    utils.draw_keypoints(image, torch.rand(1, 4, 2, device=device) * 60, connectivity=[(0, 1), (1, 2)])


@uses.add
def grids_and_files(device: torch.device) -> None:
    import io

    images = torch.rand(5, 3, 16, 16, device=device)
    utils.make_grid(images, nrow=3, normalize=True, scale_each=True)
    utils.make_grid(images, nrow=3, normalize=True, value_range=(0, 1), pad_value=0.5)
    utils.save_image(images, io.BytesIO(), format="png")


@uses.add
def pillow_images(device: torch.device) -> None:
    image = torch.rand(3, 16, 16, device=device)
    picture = functional.to_pil_image(image)
    functional.to_tensor(picture).to(device)
    functional.pil_to_tensor(picture).to(device)
    v2.functional.to_image(picture).to(device)


@uses.add
def functions_on_images(device: torch.device) -> None:
    image = torch.rand(2, 3, 24, 24, device=device)
    small = (image * 255).to(torch.uint8)
    for module in (functional, functional_v2):
        module.adjust_hue(image, 0.1)
        module.adjust_gamma(image, 0.8)
        module.adjust_contrast(image, 1.3)
        module.adjust_saturation(image, 1.3)
        module.adjust_sharpness(image, 1.5)
        module.affine(image, 10.0, [1, 2], 1.1, [3.0, 4.0], fill=[0.1, 0.2, 0.3])
        module.autocontrast(image)
        module.crop(image, 2, 2, 10, 10)
        module.elastic_transform(image, torch.rand(1, 24, 24, 2, device=device) * 0.1)
        module.equalize(small)
        module.erase(image, 2, 2, 6, 6, torch.zeros(3, 1, 1, device=device))
        module.gaussian_blur(image, [3, 3], [0.5, 0.5])
        module.normalize(image, [0.5, 0.5, 0.5], [0.2, 0.2, 0.2])
        module.pad(image, [2, 2], 0.5)
        module.perspective(image, [[0, 0], [23, 0], [23, 23], [0, 23]], [[1, 1], [22, 0], [23, 22], [0, 23]])
        module.posterize(small, 3)
        module.resize(image, [12, 12], antialias=True)
        module.resized_crop(image, 2, 2, 12, 12, [8, 8])
        module.rotate(image, 30.0, expand=True, fill=[0.5])
        module.solarize(image, 0.5)
        module.invert(image)
        module.rgb_to_grayscale(image)


@uses.add
def mixing(device: torch.device) -> None:
    images, labels = torch.rand(4, 3, 24, 24, device=device), torch.arange(4, device=device)
    for transform in (v2.MixUp(num_classes=4), v2.CutMix(num_classes=4), v2.RandomChoice([v2.MixUp(num_classes=4)])):
        transform(images, labels)


@uses.add
def training_pipeline(device: torch.device) -> None:
    transform = v2.Compose(
        [
            v2.ToImage(),
            v2.RandomPhotometricDistort(p=1.0),
            v2.RandomZoomOut(fill={tv_tensors.Image: (123.0, 117.0, 104.0), "others": 0}, p=1.0),
            v2.RandomIoUCrop(),
            v2.RandomHorizontalFlip(p=1.0),
            v2.SanitizeBoundingBoxes(),
            v2.ToDtype({tv_tensors.Image: torch.float32, "others": None}, scale=True),
        ]
    )
    for _ in range(4):
        image = tv_tensors.Image((torch.rand(3, 48, 48, device=device) * 255).to(torch.uint8))
        boxes = tv_tensors.BoundingBoxes(boxes_on(device, 5) / 2, format="XYXY", canvas_size=(48, 48))
        masks = tv_tensors.Mask(torch.ones(5, 48, 48, dtype=torch.bool, device=device))
        transform(image, {"boxes": boxes, "labels": torch.ones(5, dtype=torch.int64, device=device), "masks": masks})


@uses.add
def whitening(device: torch.device) -> None:
    matrix, mean = torch.eye(3 * 8 * 8), torch.zeros(3 * 8 * 8)
    v2.LinearTransformation(matrix, mean)(torch.rand(3, 8, 8, device=device))


@uses.add
def key_points(device: torch.device) -> None:
    if "KeyPoints" not in dir(tv_tensors):
        return
    points = tv_tensors.KeyPoints(torch.rand(4, 2, device=device) * 30, canvas_size=(32, 32))
    for name in ("RandomHorizontalFlip", "RandomRotation", "RandomAffine", "RandomPerspective", "Resize", "Pad"):
        getattr(v2, name)(*ARGUMENTS[name])(points)
    if inspect.isclass(getattr(v2, "SanitizeKeyPoints", None)):
        v2.ClampKeyPoints()(points)


if __name__ == "__main__":
    uses.main()
