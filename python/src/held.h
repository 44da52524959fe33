// Python's objects that threads of the library may hold and drop.
// Thread rule: made by a thread that holds the interpreter's lock; copied and dropped by any thread.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

namespace nestwright::python {

/// Holds an object that owns references to Python's. Whoever uses it needs the interpreter's lock.
template <class T>
std::shared_ptr<T> make_held(T object) {
  return {new T(std::move(object)), [](T* held) {
            if (Py_IsInitialized() == 0) return;  // it is lost with the interpreter
            const nanobind::gil_scoped_acquire locked;
            delete held;
          }};
}

}  // namespace nestwright::python
