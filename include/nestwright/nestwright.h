// Includes all public headers but plugin.h. Link nestwright::nestwright.
// Thread rule: that of each header.
#pragma once

// What to compute and how.
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "nestwright/schedule.h"
#include "nestwright/target.h"
#include "nestwright/tensor.h"

// Machine code and calling it.
#include "nestwright/array.h"
#include "nestwright/build.h"
#include "nestwright/device.h"

// Operators, templates and their spaces.
#include "nestwright/registry.h"
#include "nestwright/template.h"
#include "nestwright/text_operator.h"

// Tuning, and what it found.
#include "nestwright/database.h"
#include "nestwright/export.h"
#include "nestwright/lookup.h"
#include "nestwright/tune.h"

// Models.
#include "nestwright/model/graph.h"
#include "nestwright/model/network.h"
#include "nestwright/model/onnx.h"
