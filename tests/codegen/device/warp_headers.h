// What the text of emulated warps includes (warp_emulation.cpp). The build compiles it once, since each text would take
// five times as long otherwise.
#pragma once

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
