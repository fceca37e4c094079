"""Which members of `torch.Tensor` prove that a value is a tensor.

A member does when no other common type has one of that name. Types that can be imported are asked; for packages that
are not installed the words below stand, taken from their documentation.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from hostsync.calibrate.words import words_of

TYPES = words_of(
    "builtins.object builtins.str builtins.bytes builtins.bytearray builtins.list builtins.tuple builtins.dict "
    "builtins.set builtins.frozenset builtins.int builtins.float builtins.complex builtins.range builtins.slice "
    "builtins.memoryview builtins.property builtins.BaseException numpy.ndarray numpy.generic numpy.float64 "
    "numpy.int64 numpy.dtype numpy.random.Generator numpy.random.RandomState numpy.ma.MaskedArray numpy.poly1d "
    "pathlib.Path re.Pattern re.Match argparse.Namespace argparse.ArgumentParser datetime.datetime "
    "datetime.timedelta datetime.date decimal.Decimal fractions.Fraction collections.deque collections.Counter "
    "collections.OrderedDict collections.defaultdict collections.ChainMap io.IOBase io.BytesIO io.TextIOWrapper "
    "io.StringIO threading.Thread threading.Lock threading.Event threading.Condition queue.Queue asyncio.Task "
    "asyncio.Event asyncio.AbstractEventLoop concurrent.futures.Future concurrent.futures.Executor "
    "multiprocessing.Process logging.Logger logging.Handler logging.LogRecord subprocess.Popen socket.socket "
    "sqlite3.Connection sqlite3.Cursor xml.etree.ElementTree.Element xml.etree.ElementTree.ElementTree ast.AST "
    "ast.NodeVisitor inspect.Signature enum.Enum types.ModuleType types.FunctionType types.SimpleNamespace "
    "functools.partial array.array random.Random string.Template tempfile.TemporaryDirectory zipfile.ZipFile "
    "tarfile.TarFile csv.DictReader configparser.ConfigParser email.message.Message http.client.HTTPResponse "
    "urllib.parse.ParseResult turtle.Turtle statistics.NormalDist unittest.TestCase unittest.mock.Mock "
    "ipaddress.IPv4Address uuid.UUID calendar.Calendar graphlib.TopologicalSorter weakref.ref "
    "contextlib.ExitStack cmath math operator torch.nn.Module torch.nn.ParameterList torch.nn.ModuleList "
    "torch.device torch.dtype torch.Size torch.Generator torch.UntypedStorage torch.cuda.Stream torch.cuda.Event "
    "torch.cuda.CUDAGraph torch.optim.Optimizer torch.optim.lr_scheduler.LRScheduler torch.amp.GradScaler "
    "torch.nn.utils.rnn.PackedSequence torch.utils.data.DataLoader torch.utils.data.Dataset "
    "torch.distributions.Distribution torch.distributions.Normal torch.distributions.Transform torch.fx.Graph "
    "torch.fx.Node torch.fx.GraphModule torch.jit.ScriptModule torch.distributed.device_mesh.DeviceMesh "
    "sympy.Symbol sympy.Matrix networkx.Graph jinja2.Template"
)
WORDS = {
    "PIL.Image": (
        "alpha_composite apply_transparency convert copy crop draft effect_spread entropy filter format frombytes "
        "get_child_images getbands getbbox getchannel getcolors getdata getexif getextrema getim getpalette getpixel "
        "getprojection has_transparency_data height histogram info load mode palette paste point putalpha putdata "
        "putpalette putpixel quantize reduce remap_palette resize rotate save seek show size split tell thumbnail "
        "tobitmap tobytes toqimage toqpixmap transform transpose verify width close"
    ),
    "pandas": (
        "abs add aggregate align all any append apply applymap argmax argmin argsort array asfreq asof astype at "
        "attrs axes between bfill bool cat clip columns combine compare copy corr count cov cummax cummin cumprod "
        "cumsum data describe diff div divide divmod dot drop dropna dt dtype dtypes duplicated empty eq equals eval "
        "ewm expanding explode factorize ffill fillna filter first flags floordiv ge get groupby gt hasnans head hist "
        "iat idxmax idxmin iloc index indices infer_objects info insert interpolate is_unique isetitem isin isna "
        "isnull item items iterrows itertuples join keys kurt last le levels list loc lt map mask max mean median "
        "memory_usage melt merge min mod mode mul multiply name names nbytes ndim ne nlargest notna nsmallest nunique "
        "pct_change pipe pivot plot pop pow prod product put quantile query radd rank ravel reindex rename "
        "reorder_levels repeat replace resample reset_index rolling round sample searchsorted select_dtypes sem "
        "set_axis set_index shape shift size skew sort sort_index sort_values sparse squeeze stack std str struct "
        "style sub subtract sum swapaxes swaplevel T tail take to_csv to_dict to_numpy to_list tolist transform "
        "transpose truediv truncate tz_convert unique unstack update value_counts values var view where xs flatten "
        "to_flat_index slice_indexer get_loc get_indexer is_monotonic intersection union difference "
        "symmetric_difference delete type kind closed mid left right length overlaps"
    ),
    "scipy.sparse": (
        "A H T arcsin arcsinh arctan arctanh argmax argmin asformat astype ceil check_format col conj conjugate "
        "coords copy count_nonzero data deg2rad diagonal dot dtype eliminate_zeros expm1 floor format get_shape "
        "getcol getformat getH getnnz getrow has_canonical_format has_sorted_indices imag indices indptr log1p max "
        "maximum mean min minimum multiply nanmax nanmin ndim nnz nonzero power prune rad2deg real reshape resize "
        "rint row set_shape setdiag shape sign sin sinh size sort_indices sorted_indices sqrt sum sum_duplicates tan "
        "tanh toarray tobsr tocoo tocsc tocsr todense todia todok tolil trace transpose trunc pdf cdf logpdf rvs ppf"
    ),
    "tensorflow": (
        "assign assign_add assign_sub backing_device consumers cpu gpu device dtype eval get_shape graph name ndim "
        "numpy op ref set_shape shape value value_index trainable initializer to_tensor with_values values indices "
        "dense_shape row_splits flat_values is_compatible_with gather_nd read_value sparse_read handle"
    ),
    "jax": (
        "all any argmax argmin argpartition argsort astype at choose clip compress conj conjugate copy "
        "copy_to_host_async cumprod cumsum delete device devices diagonal dot dtype flat flatten global_shards imag "
        "is_fully_addressable is_deleted item itemsize mT max mean min nbytes ndim nonzero on_device_size_in_bytes "
        "platform prod ptp ravel real repeat reshape round searchsorted shape sharding size sort squeeze std sum "
        "swapaxes T take to_device tobytes tolist trace traceback transpose unsafe_buffer_pointer val var view "
        "weak_type addressable_data block_until_ready aval set apply get add multiply divide power"
    ),
    "cupy": (
        "all any argmax argmin argpartition argsort astype base choose clip compress conj copy cstruct cumprod cumsum "
        "data device diagonal dot dtype dump fill flags flatten get imag item itemsize max mean min nbytes ndim "
        "nonzero partition prod ptp put ravel real reduced_view repeat reshape round scatter_add scatter_max "
        "scatter_min searchsorted set shape size sort squeeze std strides sum swapaxes T take toDlpack tobytes tofile "
        "tolist trace transpose var view"
    ),
    "polars": (
        "abs add all any append apply arg_max arg_min arg_sort arg_true arg_unique bin bitwise_and bitwise_or cast "
        "cat ceil clear clip clone cos cosh cot count cum_sum cut describe diff dot drop_nans dt dtype entropy eq "
        "equals estimated_size exp explode extend fill_nan fill_null filter flags floor gather gather_every ge "
        "get_chunks gt has_nulls hash head hist implode index_of interpolate is_between is_duplicated is_empty "
        "is_finite is_in is_infinite is_nan is_null item kurtosis le len limit list log log10 log1p lower_bound lt "
        "map_elements max mean median min mode n_chunks n_unique name ne new_from_index not_equal null_count "
        "pct_change peak_max pow product qcut quantile rank rechunk reinterpret rename replace reshape reverse rle "
        "rolling_mean round sample scatter search_sorted set shape shift shrink_dtype shuffle sign sin sinh skew "
        "slice sort sqrt std str struct sub sum tail tan tanh to_dummies to_frame to_list to_numpy top_k unique "
        "unique_counts upper_bound value_counts var width height columns schema select with_columns group_by join "
        "pivot unpivot unnest transpose lazy collect numel flatten truncate"
    ),
    "django": (
        "filter exclude annotate alias order_by reverse distinct values values_list dates datetimes none all union "
        "intersection difference select_related prefetch_related extra defer only using select_for_update raw get "
        "create get_or_create update_or_create bulk_create bulk_update count in_bulk iterator latest earliest first "
        "last aggregate exists contains update delete as_manager explain index name save clean full_clean where query "
        "data size kind storage path url open close is_valid cleaned_data errors fields type real view grad"
    ),
    "sqlalchemy": (
        "add add_all all begin between cast close commit count delete desc distinct except_ execute exists filter "
        "filter_by first flush from_self get group_by having in_ intersect is_ isnot join label like limit merge name "
        "not_in offset one order_by outerjoin query refresh rollback scalar scalars select select_from slice type "
        "union update values where with_entities yield_per any has contains match op concat collate asc nullable "
        "index data storage"
    ),
    "matplotlib": (
        "add_artist add_axes add_patch add_subplot axis bar clear cla contour draw fill fill_between figure flatten "
        "get_xlim grid hist imshow legend lines plot scatter set_title size stem subplots text title transform view "
        "pie stackplot quiver savefig shape values set remove pick contains index name data norm cmap type"
    ),
    "tqdm": (
        "clear close desc display format_dict iterable n pandas refresh reset set_description set_postfix total "
        "unpause update write"
    ),
    "other arrays and frameworks": (
        # xarray, dask, mxnet, paddle, h5py, zarr, awkward, pyarrow, pyspark, shapely, trimesh, rdkit, ase
        "all any argmax argmin argsort as_strided attrs broadcast_like chunk chunks clip coarsen combine compute conj "
        "coords copy count cumprod cumsum data diff dims dot dtype expand_dims fillna groupby idxmax imag indexes "
        "interp isel isin isnull item load map max mean median min name nbytes ndim persist prod quantile rank real "
        "rechunk reduce reindex rename resample roll rolling sel shape shift size sizes sortby squeeze std sum "
        "swap_dims to_netcdf transpose unify_chunks unstack values var variables visualize where set_index stack "
        "vindex topk store T flatten repeat cast filter slice take unique value_counts type length field indices "
        "dictionary_encode equals validate distinct limit union sort intersect subtract cache unpersist alias asc "
        "desc between when otherwise area bounds buffer centroid contains crosses difference distance envelope "
        "intersection intersects is_valid simplify symmetric_difference within normalize project interpolate "
        "apply_transform vertices faces resize maxshape fillvalue fields get_positions positions numbers cell"
    ),
    "attributes of modules, wrappers of training loops, configurations": (
        "addr backward bmm dense_dim eig fmax fmin grad_dtype hardshrink i0 is_ipu is_nested is_quantized istft "
        "log_softmax mm q_scale q_zero_point qscheme relu sigmoid sinc softmax sparse_dim stft storage_offset "
        "storage_type unsafe_split vulkan histc lstsq solve symeig renorm heaviside type_ bernoulli"
    ),
    "games, trees, state machines and other programs": (
        "add apply apply_ backward_pass close data dim dist divide fill flatten flip fix float get_device greater "
        "index index_add int item less lt map map_ matmul mode mul name negative new norm numel put record resize "
        "rotate roll rot90 round select set set_ sign size sort split square storage sub t take to trace type unfold "
        "update values view where where_ dot outer inner cross det inverse rank trunc length neg equal ne eq gt ge le "
        "min max sum long short double half char byte bool div mm mv diag sin cos tan exp log sqrt abs pow ceil floor "
        "clamp lerp frac grad positive reciprocal conj narrow repeat expand permute movedim prod cov reinforce "
        "register_hook angle absolute multiply bmm is_shared is_leaf logit softmax sigmoid relu coalesce dequantize "
        "solve volatile layout stride is_complex is_signed gather scatter random_ ravel clone tile align data_ptr "
        "is_conj cumsum kron contiguous_ erf prelu msort qr svd lu smm xpu ipu mtia ndimension H mH mT hypot real "
        "imag is_distributed unbind is_inference is_meta module_load output_nr is_mps is_xpu is_xla"
    ),
}
"""Members of types that need not be installed here, and words too plain to prove anything."""

SURE = words_of(
    "clamp contiguous copy_ data_ptr detach element_size fill_ index_add is_cuda is_floating_point is_nonzero "
    "is_pinned isfinite isinf logical_and logical_or logical_xor numel permute scatter_add share_memory_ topk unbind"
)
"""Members that a rare other type has too (a storage, a stream of bytes, a decimal number): still taken as proof."""


def tensor_only_members() -> frozenset[str]:
    """Return the members of `torch.Tensor` whose use proves a tensor."""
    torch: Any = import_module("torch")
    taken: set[str] = set()
    for words in WORDS.values():
        taken |= set(words.split())
    for name in TYPES:
        value = _import(name)
        if value is None:
            continue
        taken |= set(dir(value))
    return frozenset(
        member for member in dir(torch.Tensor) if not member.startswith("_") and (member in SURE or member not in taken)
    )


def _import(name: str) -> Any:
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            value: Any = import_module(".".join(parts[:cut]))
        except Exception:  # a package that is missing or broken here teaches nothing
            continue
        for part in parts[cut:]:
            value = getattr(value, part, None)
        return value
    return None
