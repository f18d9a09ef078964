"""Operators of PyTorch that are computed on the CPU as well where their inputs are small and known.

Those of several kernels or of libraries, and rare ones. What training does in every layer is left
to the core, which evaluates kernels without any Python. In-place variants and all overloads belong
to a name.
"""

ORDERS = """
sort topk kthvalue mode median nanmedian _unique2 unique_consecutive unique_dim
unique_dim_consecutive nonzero nonzero_static masked_select bincount histc histogram searchsorted
bucketize isin aminmax equal segment_reduce
"""
SCANS = "cumsum cumprod cummax cummin logcumsumexp prod nansum var var_mean std std_mean"
MOVES = """
flip roll rot90 gather scatter scatter_add scatter_reduce index index_put _index_put_impl
_unsafe_index _unsafe_index_put _unsafe_masked_index _unsafe_masked_index_put_accumulate
index_select index_add index_copy index_fill index_reduce take put masked_scatter
repeat_interleave tril triu cat _chunk_cat embedding_renorm _embedding_bag
_embedding_bag_forward_only im2col col2im reflection_pad1d reflection_pad2d reflection_pad3d
replication_pad1d replication_pad2d replication_pad3d
"""
MAKES = "arange range linspace logspace eye tril_indices triu_indices randperm multinomial"
ELEMENTS = """
xlogy logaddexp logaddexp2 gcd lcm nextafter igamma igammac polygamma mvlgamma lgamma digamma erfc
erfinv exp2 sinc i0 logit angle frexp nan_to_num round addr renorm heaviside hypot ldexp copysign
complex polar threshold leaky_relu _prelu_kernel elu celu selu hardshrink softshrink hardswish
hardsigmoid hardtanh softplus log_sigmoid_forward glu huber_loss smooth_l1_loss mse_loss
conj_physical binary_cross_entropy multi_margin_loss multilabel_margin_loss_forward nll_loss_forward
nll_loss2d_forward linalg_vector_norm hash_tensor logical_xor isposinf isneginf clamp_min clamp_max
special_entr special_ndtri special_log_ndtr special_erfcx special_zeta special_xlog1py special_i0e
special_i1 special_i1e special_airy_ai special_bessel_j0 special_bessel_j1 special_bessel_y0
special_bessel_y1 special_modified_bessel_i0 special_modified_bessel_i1 special_modified_bessel_k0
special_modified_bessel_k1 special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1
special_spherical_bessel_j0 special_chebyshev_polynomial_t special_chebyshev_polynomial_u
special_chebyshev_polynomial_v special_chebyshev_polynomial_w special_hermite_polynomial_h
special_hermite_polynomial_he special_laguerre_polynomial_l special_legendre_polynomial_p
special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u
special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w
"""
WINDOWS = """
max_pool2d_with_indices max_pool2d_with_indices_backward max_pool3d_with_indices max_unpool2d
max_unpool3d avg_pool2d avg_pool3d _adaptive_avg_pool2d _adaptive_avg_pool3d adaptive_max_pool2d
adaptive_max_pool3d fractional_max_pool2d fractional_max_pool3d upsample_nearest1d
upsample_nearest2d upsample_nearest3d upsample_linear1d upsample_bilinear2d upsample_bicubic2d
upsample_trilinear3d _upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d
_upsample_bilinear2d_aa _upsample_bicubic2d_aa grid_sampler_2d grid_sampler_3d
"""
MATRICES = """
_fft_r2c _fft_c2c _fft_c2r _cdist_forward _pdist_forward _linalg_svd _linalg_eigh _linalg_det
_linalg_slogdet _linalg_solve_ex linalg_lu_factor_ex linalg_lu linalg_lu_solve linalg_qr
linalg_inv_ex linalg_cholesky_ex linalg_solve_triangular linalg_lstsq linalg_ldl_factor_ex
linalg_ldl_solve linalg_householder_product linalg_cross linalg_matrix_exp linalg_eig
linalg_pinv lu_unpack ormqr geqrf cholesky cholesky_inverse cholesky_solve triangular_solve dot
vdot mv _foreach_norm addmv addbmm baddbmm _trilinear native_group_norm
"""

NAMES = " ".join((ORDERS, SCANS, MOVES, MAKES, ELEMENTS, WINDOWS, MATRICES)).split()
MADE = frozenset(MAKES.split())
# The size of the result is a value: of unknown elements half are taken to differ.
SIZES = frozenset(
    {"_unique2", "unique_consecutive", "unique_dim", "unique_dim_consecutive", "repeat_interleave"}
)
# The first result is finite and positive where it is one number: losses, and divisors.
POSITIVE = frozenset(
    {"nll_loss_forward", "nll_loss2d_forward", "var", "std", "var_mean", "std_mean"}
)
# Any valid draw will do; another generator has to make it.
RANDOM = frozenset({"randperm", "multinomial"})
