"""Waits that are stated, not derived: operations without samples, and conditions that samples cannot tell apart.

Each row ends in its source: `gpu` where an expression of `samples.EXPRESSIONS` measured it, else the place in torch's
sources (2.6 to 2.15) that makes the host wait. `write.py` takes a row before what it derives by itself, and the test
of the evidence fails where a row marked `gpu` disagrees with what was measured.
"""

from __future__ import annotations

from typing import NamedTuple


class Stated(NamedTuple):
    names: str
    """Operations, separated by blanks."""
    waits: tuple[str | tuple[str, str], ...]
    """Conditions, alone or with the releases that they hold for; none: it never waits."""
    source: str


def _both(names: str) -> str:
    """Name the function of torch and the method of Tensor."""
    return " ".join(f"torch.{name} Tensor.{name}" for name in names.split())


STATED: tuple[Stated, ...] = (
    Stated("Tensor.item Tensor.tolist Tensor.cpu", ("always",), "gpu"),
    Stated("Tensor.numpy", ("force true",), "gpu; without force it raises"),
    Stated(_both("is_nonzero equal allclose"), ("always",), "gpu"),
    Stated(_both("nonzero argwhere masked_select unique unique_consecutive bincount"), ("always",), "gpu"),
    Stated("torch.where", ("input missing",), "gpu"),
    Stated(_both("histc"), ("max missing",), "gpu; with min == max the limits are read back"),
    Stated(_both("mode"), (), "gpu; only slices longer than 2048 elements, cuda/TensorModeKernel.cpp"),
    Stated(
        "torch.repeat_interleave",
        ("repeats tensor and output_size missing", "repeats missing and output_size missing"),
        "gpu",
    ),
    Stated("Tensor.repeat_interleave", ("repeats tensor and output_size missing",), "gpu"),
    Stated("torch.nn.functional.one_hot", ("num_classes missing", "num_classes negative"), "gpu"),
    Stated("torch.combinations", ("always",), "gpu; masked_select in Itertools.cpp"),
    Stated(_both("cov corrcoef"), ("always",), "gpu; Correlation.cpp"),
    Stated("torch.searchsorted", ("sorter given",), "gpu; BucketizationUtils.h"),
    Stated(_both("istft"), ("always",), "gpu; SpectralOps.cpp checks the window"),
    Stated(
        "torch.nested.as_nested_tensor",
        ("layout given",),
        "nested/_internal/nested_tensor.py: `jagged_from_list` makes the offsets of numbers on the host",
    ),
    Stated("torch.load", ("map_location device",), "serialization.py: `_deserialize` copies each storage there"),
    Stated("torch.isin", (), "gpu; only many test elements, from 10 * n ** 0.145 on, go through unique"),
    Stated(
        "torch.normal",
        (("std tensor", "<2.14"), "mean tensor and size given"),
        "gpu; DistributionTemplates.h, _assert_async from 2.14; with a size the mean is read back as a number",
    ),
    Stated("torch.segment_reduce", ("lengths given and unsafe missing",), "gpu; SegmentReduce.cpp checks lengths only"),
    Stated("torch.linspace torch.logspace", ("start tensor", "end tensor"), "gpu; RangeFactories.cpp"),
    Stated("torch.tensor torch.as_tensor", ("data data", "data number"), "gpu"),
    Stated("torch.asarray", ("obj data", "obj number"), "gpu"),
    Stated("Tensor.new_tensor", ("data data", "data number"), "gpu"),
    Stated("Tensor.new", ("args data",), "gpu"),
    Stated(
        "torch.cuda.FloatTensor torch.cuda.DoubleTensor torch.cuda.HalfTensor torch.cuda.BFloat16Tensor "
        "torch.cuda.LongTensor torch.cuda.IntTensor torch.cuda.ShortTensor torch.cuda.CharTensor "
        "torch.cuda.ByteTensor torch.cuda.BoolTensor",
        ("data data",),
        "gpu",
    ),
    Stated(_both("masked_fill") + " Tensor.masked_fill_", ("value tensor",), "gpu; cuda/Indexing.cu"),
    Stated(_both("index_fill") + " Tensor.index_fill_", ("value tensor",), "gpu; TensorAdvancedIndexing.cpp"),
    Stated(
        _both("clamp clip") + " Tensor.clamp_ Tensor.clip_",
        ("min number and max scalar", "min scalar and max number"),
        "python_arg_parser.cpp: with one number both limits are numbers, so the tensor is read back",
    ),
    Stated("torch.full Tensor.new_full torch.full_like", ("fill_value tensor",), "gpu"),
    Stated("torch.arange torch.range", ("start tensor", "end tensor", "step tensor"), "gpu"),
    Stated(_both("add sub"), ("alpha tensor",), "gpu"),
    Stated(_both("narrow"), ("start tensor",), "gpu; TensorShape.cpp"),
    Stated("torch.tensordot", ("dims tensor",), "functional.py"),
    Stated("Tensor.coalesce", ("always",), "gpu; thrust"),
    Stated("Tensor.to_sparse Tensor.to_sparse_csr Tensor.to_sparse_csc Tensor.to_sparse_coo", ("always",), "gpu"),
    Stated("Tensor.to_sparse_bsr Tensor.to_sparse_bsc", ("always",), "TensorConversions.cpp"),
    Stated("torch.sparse_coo_tensor", ("size missing",), "SparseTensor.cpp reads the largest index"),
    Stated("torch.sparse.sum", ("dim given",), "SparseTensorMath.cpp: the indices that are left are coalesced"),
    Stated(_both("index_put") + " Tensor.index_put_", ("indices mask",), "gpu"),
    Stated(
        _both("max min"),
        ("dim tensor and keepdim given",),
        "gpu; the second argument is a dimension or another tensor, which has no keepdim",
    ),
    # linear algebra: errors are checked on the host
    Stated(
        "torch.linalg.inv torch.linalg.cholesky torch.linalg.solve torch.linalg.tensorsolve torch.linalg.tensorinv "
        "torch.linalg.lu_factor torch.linalg.eigh torch.linalg.eigvalsh torch.linalg.svd torch.linalg.svdvals "
        "torch.linalg.matrix_rank torch.linalg.pinv torch.linalg.eig torch.linalg.eigvals torch.linalg.lstsq "
        "torch.linalg.ldl_factor torch.linalg.ldl_solve torch.pinverse torch.lobpcg "
        "torch.linalg.ldl_factor_ex torch.svd_lowrank torch.pca_lowrank "
        + _both("inverse cholesky svd matrix_exp")
        + " torch.linalg.matrix_exp Tensor.pinverse",
        ("always",),
        "gpu; BatchLinearAlgebra.cpp",
    ),
    Stated(
        "torch.linalg.inv_ex torch.linalg.cholesky_ex torch.linalg.solve_ex torch.linalg.lu_factor_ex",
        ("check_errors true",),
        "gpu; BatchLinearAlgebra.cpp",
    ),
    Stated("torch.linalg.lu torch.lu Tensor.lu", (), "gpu; only some matrices that are not square wait"),
    Stated(
        "torch.linalg.cond",
        ("p missing", "p 2", "p -2", "p 'nuc'"),
        "gpu without p and with 'fro'; 2, -2 and 'nuc' were not measured, they take svdvals too",
    ),
    Stated(
        "torch.linalg.matrix_norm",
        ("ord 2", "ord -2", "ord 'nuc'"),
        "gpu for 2 and 'nuc'; -2 was not measured, it takes svdvals too",
    ),
    Stated("torch.norm Tensor.norm", ("p 'nuc'",), "gpu; functional.py takes any number for a norm of vectors"),
    Stated(
        "torch.linalg.norm",
        ("ord 'nuc'", "ord 2 and dim missing and input matrix", "ord -2 and dim missing and input matrix"),
        "gpu; a norm of matrices, as matrix_norm",
    ),
    Stated("torch.linalg.matrix_power " + _both("matrix_power"), ("n negative",), "gpu; only negative powers wait"),
    # losses and layers
    Stated("torch.ctc_loss torch.nn.functional.ctc_loss torch.nn.CTCLoss.forward", ("always",), "gpu; LossCTC.cpp"),
    Stated(
        "torch.nn.functional.gaussian_nll_loss torch.nn.GaussianNLLLoss.forward",
        ("var tensor",),
        "gpu; nn/functional.py `torch.any(var < 0)`",
    ),
    Stated(
        "torch.nn.Transformer.forward",
        ("src_mask tensor and src_is_causal missing", "tgt_mask tensor and tgt_is_causal missing"),
        "nn/modules/transformer.py `_detect_is_causal_mask`",
    ),
    Stated(
        "torch.nn.TransformerEncoder.forward",
        ("mask tensor and is_causal missing",),
        "nn/modules/transformer.py `_detect_is_causal_mask`",
    ),
    Stated(
        "torch.nn.TransformerDecoder.forward",
        ("tgt_mask tensor and tgt_is_causal missing",),
        "nn/modules/transformer.py `_detect_is_causal_mask`",
    ),
    Stated("torch.nn.AdaptiveLogSoftmaxWithLoss.forward", ("always",), "gpu; nn/modules/adaptive.py"),
    Stated("torch.nn.utils.rnn.pack_padded_sequence", ("enforce_sorted false",), "gpu; lengths must be on the CPU"),
    Stated("torch.nn.utils.rnn.pad_packed_sequence", (), "gpu; waits on what enforce_sorted=False packed"),
    Stated(
        "torch.nn.functional.cross_entropy",
        ("weight given and label_smoothing positive",),
        "gpu; masked_select, LossNLL.cpp",
    ),
    Stated("torch.nn.functional.affine_grid", (), "gpu; only with a size of 1"),
    Stated("torch.nn.utils.rnn.unpad_sequence", ("always",), "iterates over lengths, nn/utils/rnn.py"),
    Stated("torch.nn.init.trunc_normal_", (("always", ">=2.13"),), "nn/init.py, a rejection loop; gpu: not in 2.11"),
    Stated("torch.nn.utils.parametrizations.orthogonal", ("always",), "parametrizations.py, allclose"),
    Stated(
        "torch.nn.utils.clip_grad_norm_ torch.nn.utils.clip_grad_norm",
        ("error_if_nonfinite true", "max_norm tensor"),
        "gpu",
    ),
    Stated("torch.nn.utils.get_total_norm", ("error_if_nonfinite true",), "gpu"),
    Stated("torch.nn.LSTM.forward", (), "gpu; only the first call with dropout, which makes cuDNN's random state"),
    Stated("torch.sparse.mm", (), "gpu; sparse by sparse waits, sparse by dense does not"),
    Stated(
        "torch.signal.windows.blackman torch.signal.windows.general_cosine torch.signal.windows.general_hamming "
        "torch.signal.windows.hamming torch.signal.windows.hann torch.signal.windows.kaiser "
        "torch.signal.windows.nuttall",
        ("always",),
        "gpu; for more than one sample: coefficients are copied to the device",
    ),
    # optimisers
    Stated("torch.amp.GradScaler.step torch.cuda.amp.GradScaler.step", ("always",), "gpu; amp/grad_scaler.py"),
    Stated(
        "torch.amp.GradScaler.get_scale torch.cuda.amp.GradScaler.get_scale torch.amp.GradScaler.state_dict "
        "torch.cuda.amp.GradScaler.state_dict",
        ("always",),
        "gpu; amp/grad_scaler.py",
    ),
    Stated("torch.optim.LBFGS.step torch.optim.Adafactor.step torch.optim.ASGD.step", ("always",), "gpu"),
    Stated("torch.optim.SparseAdam.step", ("always",), "coalesce"),
    Stated("torch.optim.lr_scheduler.ReduceLROnPlateau.step", ("metrics tensor",), "gpu; lr_scheduler.py float()"),
    # copies are the work of the inference, which knows where both sides live
    Stated("Tensor.to Tensor.cuda Tensor.copy_ Tensor.type Tensor.type_as", (), "gpu; depends on both devices"),
    Stated(
        "torch.nn.Module.to torch.nn.Module.cuda torch.nn.Module.cpu torch.nn.Module.load_state_dict",
        (),
        "gpu; copies each tensor that is elsewhere, mostly while setting up",
    ),
    Stated(
        "torch.nn.BatchNorm1d.forward torch.nn.BatchNorm2d.forward torch.nn.BatchNorm3d.forward",
        (),
        "gpu; momentum=None",
    ),
    Stated("torch.testing.assert_close", ("always",), "gpu; testing/_comparison.py"),
    # explicit waits
    Stated(
        "torch.cuda.synchronize torch.accelerator.synchronize torch.cuda.Stream.synchronize "
        "torch.Stream.synchronize torch.cuda.Event.synchronize "
        "torch.Event.synchronize torch.cuda.empty_cache torch.accelerator.empty_cache",
        ("always",),
        "gpu",
    ),
    Stated("torch.cuda.ExternalStream.synchronize", ("always",), "the method of torch.cuda.Stream"),
    Stated("torch.cuda.graph torch.cuda.make_graphed_callables", ("always",), "cuda/graphs.py synchronizes on entry"),
    Stated(
        "torch.distributed.all_gather_object torch.distributed.broadcast_object_list "
        "torch.distributed.gather_object torch.distributed.scatter_object_list",
        ("always",),
        "gpu for one rank; distributed_c10d.py, ProcessGroupNCCL.cpp",
    ),
    Stated(
        "torch.distributed.send_object_list torch.distributed.recv_object_list",
        ("always",),
        "distributed_c10d.py: sizes and bytes are copied to the host",
    ),
    Stated("torch.distributed.barrier", ("async_op missing",), "gpu for one rank; ProcessGroupNCCL.cpp"),
    Stated("torch.distributed.monitored_barrier", ("always",), "distributed_c10d.py"),
    Stated("torch.save", ("always",), "serialization.py copies every storage to the host"),
    Stated(
        "torch.distributions.Distribution.log_prob torch.distributions.ExponentialFamily.log_prob "
        "torch.distributions.Independent.log_prob",
        ("self validating",),
        "what the methods do that are meant: distribution.py `_validate_sample`, independent.py `base_dist.log_prob`",
    ),
    Stated("torch.manual_seed", ("seed tensor",), "random.py int(seed)"),
)
"""In the order in which section heads of torch's documentation have them."""


def stated() -> dict[str, Stated]:
    """Return the rows by operation."""
    return {name: row for row in STATED for name in row.names.split()}
