"""What the result of an operation is, by its name: dtype, dimensions, positions, memory; and what its wait is about."""

from __future__ import annotations

from hostsync.calibrate.words import words_of

# --- dtype ---------------------------------------------------------------------------------------

_BOOL = words_of(
    "eq ne lt le gt ge greater greater_equal less less_equal not_equal isnan isinf isfinite isposinf isneginf "
    "isreal logical_and logical_or logical_xor logical_not any all isin isclose signbit bool is_same_size"
)
_INT = words_of(
    "argmax argmin argsort argwhere nonzero nonzero_static long int short char byte searchsorted bucketize "
    "count_nonzero randperm tril_indices triu_indices one_hot int_repr LongTensor IntTensor ShortTensor "
    "CharTensor ByteTensor crow_indices col_indices ccol_indices row_indices indices invert_permutation "
    "matrix_rank multinomial randint gcd lcm bitwise_left_shift bitwise_right_shift"
)
_FLOAT = words_of(
    "float half double bfloat16 softmax log_softmax softmin gumbel_softmax sigmoid logsigmoid tanh exp log log2 "
    "log10 log1p sqrt rsqrt sin cos rand randn hann_window hamming_window blackman_window bartlett_window "
    "kaiser_window FloatTensor HalfTensor DoubleTensor BFloat16Tensor norm vector_norm matrix_norm cross_entropy "
    "mse_loss nll_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits "
    "kl_div log_prob layer_norm batch_norm group_norm instance_norm rms_norm gelu silu mish selu elu celu erf "
    "erfc erfinv lgamma digamma logsumexp scaled_dot_product_attention interpolate normal_ uniform_ "
    "cosine_similarity entropy cdist det slogdet xavier_uniform_ xavier_normal_ kaiming_uniform_ kaiming_normal_ "
    "trunc_normal_ orthogonal_ mean nanmean std var quantile nanquantile pairwise_distance pdist inv pinv solve "
    "svdvals eigvalsh cond normal embedding true_divide atan2 arctan2 hypot logaddexp acos asin atan acosh asinh atanh "
    "sinh cosh tan deg2rad rad2deg reciprocal exp2 expm1 logit sinc trapezoid trapz cov corrcoef triplet_margin_loss "
    "margin_ranking_loss cosine_embedding_loss poisson_nll_loss gaussian_nll_loss soft_margin_loss zeros ones empty "
    "eye linspace logspace"
)


_DTYPE_KEPT = words_of(
    "view reshape flatten unflatten squeeze unsqueeze expand expand_as view_as reshape_as repeat tile select diagonal "
    "diag diag_embed diagflat ravel gather take take_along_dim masked_select unfold as_strided broadcast_to "
    "repeat_interleave masked_fill masked_scatter select_scatter slice_scatter diagonal_scatter new_zeros new_ones "
    "new_empty new_full new_empty_strided max min amax amin median nanmedian kthvalue mode clamp clip split chunk "
    "unbind tensor_split split_with_sizes hsplit vsplit dsplit swapaxes vander narrow_copy detach_copy view_copy "
    "squeeze_copy unsqueeze_copy expand_copy permute_copy transpose_copy unsafe_chunk unsafe_split diff unique "
    "unique_consecutive trace combinations put pow aminmax fill as_strided_scatter to_sparse"
)
"""These give a tensor of the dtype of their first one, as those that keep its dimensions (`_SAME`) are taken to."""
_DTYPE_PROMOTED = words_of(
    "cat concat concatenate stack hstack vstack dstack column_stack row_stack where minimum maximum fmin fmax add sub "
    "subtract mul multiply rsub remainder fmod floor_divide bitwise_and bitwise_or bitwise_xor lerp block_diag "
    "cartesian_prod meshgrid broadcast_tensors atleast_1d atleast_2d atleast_3d matmul mm bmm mv dot outer cross "
    "addcmul addmm addmv addbmm baddbmm addr vdot inner kron tensordot einsum heaviside"
)
"""These give one of the dtype that all their tensors and numbers are promoted to."""
_SUMS = words_of("sum nansum prod cumsum cumprod")
"""These count truth values."""


def dtype_of(name: str, returns: str) -> str:
    """Return the dtype, as in `Op.dtype`."""
    namespace, _, last = name.rpartition(".")
    if namespace in ("torch", "Tensor") and returns in ("tensor", "tensors", "list"):
        if last in _DTYPE_KEPT:
            return "same"
        if last in _DTYPE_PROMOTED:
            return "promoted"
    if returns == "tensor" and last in _SUMS and namespace in ("torch", "Tensor", "torch.masked", "torch.sparse"):
        return "summed"
    if returns != "tensor":
        return ""
    if last in _BOOL and namespace in ("torch", "Tensor"):
        return "bool"
    if name in ("torch.BoolTensor", "torch.cuda.BoolTensor"):
        return "bool"
    if last in _INT and namespace in ("torch", "Tensor", "torch.cuda", "torch.nn.functional", "torch.linalg"):
        return "int"
    return "float" if last in _FLOAT and not namespace.startswith("torch.masked") else ""


# --- number of dimensions ------------------------------------------------------------------------

_REDUCE = words_of(
    "sum mean prod max min any all norm std var argmax argmin median nanmedian logsumexp amax amin count_nonzero "
    "nansum nanmean quantile nanquantile vector_norm mode kthvalue softmax_ std_mean var_mean aminmax hash_tensor"
)
_DIGIT = {
    "nonzero": "2", "argwhere": "2", "arange": "1", "range": "1", "linspace": "1", "logspace": "1", "randperm": "1",
    "hann_window": "1", "hamming_window": "1", "blackman_window": "1", "bartlett_window": "1", "kaiser_window": "1",
    "eye": "2", "tril_indices": "2", "triu_indices": "2", "mm": "2", "addmm": "2", "bmm": "3", "baddbmm": "3",
    "addbmm": "2", "mv": "1", "addmv": "1", "dot": "0", "vdot": "0", "outer": "2", "ger": "2", "addr": "2",
    "trace": "0", "scalar_tensor": "0", "masked_select": "1", "ravel": "1", "bincount": "1", "histc": "1",
    "diagflat": "2", "combinations": "2", "block_diag": "2", "cartesian_prod": "2",
    "frombuffer": "1", "fftfreq": "1", "rfftfreq": "1", "parameters_to_vector": "1", "invert_permutation": "1",
    "nonzero_static": "2", "indices": "2", "get_total_norm": "0", "clip_grad_norm_": "0", "crow_indices": "1",
    "col_indices": "1", "ccol_indices": "1", "row_indices": "1",
    "get_rng_state": "1", "dist": "0", "allclose": "0", "multi_dot": "2", "chain_matmul": "2", "from_file": "1",
    "multilabel_margin_loss_": "0", "draw": "2", "draw_base2": "2",
}  # fmt: skip
_SAME = words_of(
    "abs absolute acos acosh angle arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh bernoulli "
    "bfloat16 bitwise_not bool byte cdouble ceil celu cfloat chalf char clamp_max clamp_min clip clone conj "
    "conj_physical contiguous cos cosh cpu cuda cumprod cumsum logcumsumexp data deg2rad dequantize detach "
    "digamma double dropout alpha_dropout feature_alpha_dropout dropout1d dropout2d dropout3d elu empty_like erf "
    "erfc erfinv exp exp2 expm1 fix flip fliplr flipud float floor frac full_like gelu half hardshrink "
    "hardsigmoid hardswish hardtanh i0 imag int isfinite isinf isnan isneginf isposinf isreal layer_norm "
    "leaky_relu lgamma log log10 log1p log2 log_softmax logical_not logit logsigmoid long mish nan_to_num neg "
    "negative normalize one_like ones_like pin_memory positive prelu rad2deg rand_like randint_like randn_like "
    "real reciprocal relu relu6 renorm resolve_conj resolve_neg roll round rrelu rsqrt rms_norm batch_norm "
    "group_norm instance_norm selu sgn short sigmoid sign signbit silu sin sinc sinh softmax softmin softplus "
    "softshrink softsign sort argsort sqrt square tan tanh tanhshrink threshold to tril triu trunc type type_as "
    "zeros_like index_fill index_copy index_add scatter scatter_add scatter_reduce gumbel_softmax expand_as_ "
    "rot90 H T mT mH grad transpose swapaxes swapdims permute movedim moveaxis t adjoint cholesky "
    "cholesky_inverse inverse pinverse matrix_exp matrix_power inv msort nextafter_ index_put cummax cummin "
    "local_response_norm pixel_shuffle pixel_unshuffle channel_shuffle interpolate max_pool1d max_pool2d "
    "max_pool3d avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d "
    "adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d grid_sample conv1d conv2d conv3d "
    "conv_transpose1d conv_transpose2d conv_transpose3d pad expit log_ndtr ndtr ndtri linear requires_grad_ "
    "narrow index_select topk glu fftshift ifftshift fft ifft fft2 ifft2 fftn ifftn rfft irfft"
)
_BROADCAST = words_of(
    "add sub subtract mul multiply div divide true_divide floor_divide remainder fmod rsub pow float_power eq ne lt le "
    "gt ge greater greater_equal less less_equal not_equal maximum minimum fmax fmin logical_and logical_or "
    "logical_xor bitwise_and bitwise_or bitwise_xor isclose atan2 arctan2 hypot copysign where lerp addcmul addcdiv "
    "logaddexp"
)
_MORE = words_of("unsqueeze unsqueeze_ stack diag_embed")
_BY_SIZE = words_of("zeros ones empty full rand randn new_zeros new_ones new_empty new_full view reshape expand repeat")
_NOT_SAME = frozenset(("torch.Tensor.type", "torch.bool", "torch.range", "torch.nn.functional.rfft"))


def ndim_of(name: str, returns: str) -> str:
    """Return the number of dimensions, as in `Op.ndim`."""
    namespace, _, last = name.rpartition(".")
    if namespace.count(".") and namespace not in (
        "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special", "torch.nn.init", "torch.nn.utils",
        "torch.nn.utils.rnn", "torch.cuda",
    ):  # fmt: skip
        return ""
    if last in _MORE and namespace in ("torch", "Tensor"):
        return "more"
    if returns == "self":
        return "same"
    if returns not in ("tensor", "tensors"):
        return ""
    if last in _REDUCE and namespace in ("torch", "Tensor", "torch.linalg", "torch.special"):
        return "reduce"
    if last in _DIGIT and namespace != "torch.linalg":
        return _DIGIT[last]
    if last in _SAME and name not in _NOT_SAME:
        return "same"
    if last in _BY_SIZE and namespace in ("torch", "Tensor"):
        return "size"
    return "broadcast" if last in _BROADCAST and namespace in ("torch", "Tensor") else ""


# --- positions ---------------------------------------------------------------------------------

_POSITIONS = words_of("max min median nanmedian mode kthvalue sort topk cummax cummin")


def gives_positions(name: str) -> bool:
    """Return whether an operation gives values and where these stood, as in `Op.positions`."""
    namespace, _, last = name.rpartition(".")
    return last in _POSITIONS and namespace in ("torch", "Tensor")


# --- memory --------------------------------------------------------------------------------------

_VIEWS = words_of(
    "H T adjoint data detach mH mT moveaxis movedim permute real squeeze swapaxes swapdims t transpose unflatten "
    "unsqueeze view view_as"
)
_PARTS_AND_COPIES = words_of(
    "bfloat16 bool byte char chunk contiguous double flatten float half int long narrow ravel reshape reshape_as "
    "resolve_conj resolve_neg select short split tensor_split unbind"
)
"""Of parts with gaps (columns) torch first makes a copy, which is not pinned (`tests/gpu/test_pinned_views.py`)."""


def memory_of(name: str) -> str:
    """Return whether the result of an operation lies in the memory of its first tensor."""
    namespace, _, last = name.rpartition(".")
    if namespace not in ("torch", "Tensor"):
        return ""
    return "same" if last in _VIEWS else "maybe" if last in _PARTS_AND_COPIES else ""


# --- what the wait is about ----------------------------------------------------------------------

_SHAPES = words_of(
    "nonzero argwhere where masked_select unique unique_consecutive bincount histc mode repeat_interleave one_hot "
    "combinations"
)
"""Their waits are about the shape, or the range, of the result."""
_READ_BACKS = words_of("item tolist equal allclose is_nonzero numpy cpu")
_SYNCHRONIZING = words_of(
    "synchronize empty_cache barrier monitored_barrier all_gather_object broadcast_object_list gather_object "
    "scatter_object_list send_object_list recv_object_list"
)


def event_of(name: str) -> str:
    """Return what kind of event the wait of an operation is, as in `Op.event`."""
    namespace, _, last = name.rpartition(".")
    if last in _SYNCHRONIZING:
        return "synchronize"
    if namespace == "torch.testing" or (last in _READ_BACKS and namespace in ("torch", "Tensor")):
        return "read-back"
    return "shape" if last in _SHAPES and namespace in ("torch", "Tensor", "torch.nn.functional") else "call"
