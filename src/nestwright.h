// Includes all public headers. Link nestwright::nestwright.
// Thread rule: that of each header.
#pragma once

// What to compute and how.
#include "expression/passed_shape.h"
#include "expression/scan.h"
#include "expression/tensor.h"
#include "ir/core/program.h"
#include "ir/interpret/interpret.h"
#include "ir/traversal/print.h"
#include "ir/verify/verify.h"
#include "lower/lower.h"
#include "schedule/schedule.h"
#include "target/description/machine.h"
#include "target/description/target.h"

// Machine code and calling it.
#include "codegen/backend.h"
#include "kernel/build.h"
#include "kernel/function.h"
#include "runtime/array.h"
#include "runtime/array_view.h"
#include "runtime/compiled_kernel.h"
#include "runtime/parallel_pool.h"

// Operators, templates and their spaces.
#include "space/config.h"
#include "space/config_space.h"
#include "templates/framework/template/template.h"
#include "templates/framework/template/workload.h"
#include "templates/registry.h"
#include "text_operator/text_operator.h"

// Tuning, and what it found.
#include "exporter/apply_best.h"
#include "exporter/exporter.h"
#include "logs/tuning_log.h"
#include "lookup/lookup.h"
#include "search/session/session.h"
#include "support/base/error.h"
