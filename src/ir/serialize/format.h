// The byte format of serialised programs, which serialize.cpp writes and deserialize.cpp reads. Private to ir/.
// Thread rule: constants. Units: bytes.
//
//   "NWIR" version            the version is one byte
//   count record*             definitions, each before its first use: variables, buffers, expressions, statements
//   program                   name, parameters, symbols, requirements, workspace, preparation, host, kernels
//
// The record of a node is its tag, its type where that does not follow from its fields, and its fields in the order of
// their description (ir/core/fields.h). Numbers are LEB128 varints (zigzag where signed), floats 8 bytes little-endian,
// strings a length and bytes. A reference is the distance back from the end of its table (1: the latest), 0 where
// absent. So most references take one byte, and no record is nested, so that a reader never recurses.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "nestwright/program.h"

namespace nestwright::ir::format {

inline constexpr std::string_view kMagic = "NWIR";
inline constexpr std::uint8_t kVersion = 15;

/// The largest depth of a node, so that recursive walks cannot exhaust the stack, and the largest number of nodes below
/// it where shared nodes are counted once per use.
inline constexpr std::uint32_t kMaxDepth = 2000;
inline constexpr std::uint64_t kMaxUnfolded = std::uint64_t{1} << 26;

// The tag of a record: a variable, a buffer, or the index of a node's alternative in its variant.
inline constexpr std::uint8_t kVarTag = 0, kBufferTag = 1, kFirstExprTag = 2;
inline constexpr std::uint8_t kFirstStmtTag = kFirstExprTag + std::variant_size_v<decltype(ExprNode::value)>;
inline constexpr std::uint8_t kLastTag = kFirstStmtTag + std::variant_size_v<decltype(StmtNode::value)> - 1;

}  // namespace nestwright::ir::format
