#include "search/propose/quota.h"

#include <cmath>

namespace nestwright {

int draw_quota(double share, int n, std::mt19937_64& random) {
  const double exact = share * n;
  const double whole = std::floor(exact);
  const bool rounds_up = std::uniform_real_distribution<double>(0, 1)(random) < exact - whole;
  return static_cast<int>(whole) + (rounds_up ? 1 : 0);
}

}  // namespace nestwright
