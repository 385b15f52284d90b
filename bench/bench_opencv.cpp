// bench_opencv - how long OpenCV's precise distance transform takes, on one thread.
//
// A program of its own, since OpenCV is C++ and nothing else of Cairn needs it; built only where it is found. Reads a
// binary PGM from standard input, in which 0 is an obstacle, and prints milliseconds of processor time, the least of
// ROUNDS, and the sum of all distances, by which `cairn bench maps` sees that both computed the same.
#include <cmath>
#include <cstdio>
#include <ctime>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

static const int ROUNDS = 5;

static double cpu_ms()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

int main()
{
    int width = 0, height = 0;
    if (std::scanf("P5 %d %d 255", &width, &height) != 2 || width < 1 || height < 1 || width > 16384 ||
        height > 16384) {
        return 1;
    }
    std::getchar();
    cv::Mat cells(height, width, CV_8UC1), distance;
    if (std::fread(cells.data, 1, cells.total(), stdin) != cells.total()) { return 1; }
    cv::setNumThreads(1);
    double best_ms = INFINITY;
    for (int i = 0; i < ROUNDS; i++) {
        const double started_ms = cpu_ms();
        cv::distanceTransform(cells, distance, cv::DIST_L2, cv::DIST_MASK_PRECISE);
        best_ms = std::fmin(best_ms, cpu_ms() - started_ms);
    }
    std::printf("%.6f %.3f\n", best_ms, cv::sum(distance)[0]);
    return 0;
}
