// Row-major C = op(A) op(B) is column-major C^T = op(B)^T op(A)^T: the operands are exchanged, and no data is moved.
// Declarations after cublas_v2.h of CUDA 12 and 13, whose binary interface is the same.
#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "bench/gpu/allowed_error.h"
#include "bench/gpu/rival.h"
#include "runtime/cuda/toolkit.h"
#include "support/os/shared_library.h"
#include "templates/matmul/shape.h"

namespace nestwright::bench {
namespace {

enum class Status : int { kSuccess = 0 };
enum class Operation : int { kNone = 0, kTransposed = 1 };
enum class DataType : int { kFloat32 = 0, kFloat16 = 2, kBFloat16 = 14 };
constexpr int kCompute32F = 68, kCompute32FFastTf32 = 77;  // both sum in float32; the first does not round to tf32
constexpr int kDefaultAlgorithm = -1;
using Handle = struct Context*;

/// The functions of cuBLAS that are called here.
struct Cublas {
  Status (*create)(Handle*);
  Status (*destroy)(Handle);
  Status (*get_version)(Handle, int*);
  Status (*gemm_ex)(Handle, Operation, Operation, int m, int n, int k, const void* alpha, const void* a, DataType,
                    int lda, const void* b, DataType, int ldb, const void* beta, void* c, DataType, int ldc,
                    int compute, int algorithm);
};

void require(Status status, const char* what) {
  if (status == Status::kSuccess) return;
  throw DeviceError(fmt::format("cuBLAS refuses {} (status {})", what, static_cast<int>(status)));
}

Cublas load_cublas() {
  const char* const named = std::getenv("NESTWRIGHT_CUBLAS");
  const std::vector<std::string> names =
      named != nullptr && *named != '\0' ? std::vector<std::string>{named} : cuda::toolkit_libraries("cublas");
  const auto library = SharedLibrary::open(names);
  if (!library) {
    throw DeviceError(
        "cuBLAS is not installed: install CUDA's toolkit (12 or 13) or Python's package nvidia-cublas, and name its "
        "libcublas.so by NESTWRIGHT_CUBLAS where it is not found");
  }
  Cublas functions{};
  functions.create = library->function<decltype(functions.create)>("cublasCreate_v2");
  functions.destroy = library->function<decltype(functions.destroy)>("cublasDestroy_v2");
  functions.get_version = library->function<decltype(functions.get_version)>("cublasGetVersion_v2");
  functions.gemm_ex = library->function<decltype(functions.gemm_ex)>("cublasGemmEx");
  return functions;
}

/// The types of A and B, and of C.
struct Types {
  DataType operands, result;
};
std::optional<Types> types_of(const ir::Type& a, const ir::Type& c) {
  const auto known = [](const ir::Type& type) -> std::optional<DataType> {
    if (type == kFloat32) return DataType::kFloat32;
    if (type == kFloat16) return DataType::kFloat16;
    if (type == kBFloat16) return DataType::kBFloat16;
    return std::nullopt;
  };
  const auto operands = known(a), result = known(c);
  if (!operands || !result) return std::nullopt;
  return Types{*operands, *result};
}

class CublasProduct final : public Rival {
 public:
  CublasProduct(const MatmulShape& shape, const Types& types) : cublas_(load_cublas()), shape_(shape), types_(types) {
    require(cublas_.create(&handle_), "to start");
    require(cublas_.get_version(handle_, &version_), "to tell its version");
  }
  ~CublasProduct() override { cublas_.destroy(handle_); }

  std::string name() const override { return "cuBLAS"; }
  std::string detail() const override {
    return fmt::format("{}.{}.{}, GemmEx, sums in float32{}", version_ / 10000, version_ / 100 % 100, version_ % 100,
                       shape_.in_tf32 ? " of tf32" : "");
  }

  double allowed_error() const override { return product_allowed_error(shape_); }

  void run(std::span<const DeviceMemoryPtr> tensors) override {
    const float one = 1, zero = 0;
    const auto operation = [](bool transposed) { return transposed ? Operation::kTransposed : Operation::kNone; };
    const auto number = [](std::int64_t n) { return static_cast<int>(n); };
    const auto pointer = [&](std::size_t i) { return reinterpret_cast<void*>(tensors[i]->handle()); };
    require(cublas_.gemm_ex(handle_, operation(shape_.tb), operation(shape_.ta), number(shape_.n), number(shape_.m),
                            number(shape_.k), &one, pointer(1), types_.operands, number(shape_.b.leading), pointer(0),
                            types_.operands, number(shape_.a.leading), &zero, pointer(2), types_.result,
                            number(shape_.c.leading), shape_.in_tf32 ? kCompute32FFastTf32 : kCompute32F,
                            kDefaultAlgorithm),
            "a product");
  }

 private:
  Cublas cublas_;
  MatmulShape shape_;
  Types types_;
  Handle handle_ = nullptr;
  int version_ = 0;
};

}  // namespace

std::unique_ptr<Rival> make_cublas(const Workload& workload) {
  if (workload.op->name != "matmul") return nullptr;
  const MatmulShape shape = matmul_shape(workload);
  const MatmulTypes types = matmul_types(workload.type("dtype"));
  const std::optional<Types> ours = types_of(types.a, types.c);
  if (shape.batch != 1 || !shape.epilogue.is_none() || shape.prepares_b || types.a != types.b || !ours) return nullptr;
  return std::make_unique<CublasProduct>(shape, *ours);
}

}  // namespace nestwright::bench
