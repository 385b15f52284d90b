// bench_ceres FILE.g2o - a pose graph in the plane by Ceres, as its own example pose_graph_2d has it: automatic
// derivatives, Levenberg-Marquardt, sparse normal Cholesky, one thread, its own tolerances. The first node is held.
//
// Prints processor milliseconds of Solve (the fastest of three, from the file's poses), chi2, and iterations.
#include <ceres/ceres.h>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

struct Edge {
    int from, to;
    double x, y, yaw;
    Eigen::Matrix3d root; // root' root = information
};

struct Error {
    explicit Error(const Edge &e) : edge(e) {}
    template <typename T> bool operator()(const T *a, const T *b, T *r) const
    {
        const T c = cos(a[2]), s = sin(a[2]), dx = b[0] - a[0], dy = b[1] - a[1];
        T e[3] = {c * dx + s * dy - edge.x, c * dy - s * dx - edge.y, b[2] - a[2] - edge.yaw};
        const T turns = floor((e[2] + T(M_PI)) / T(2 * M_PI));
        e[2] -= turns * T(2 * M_PI);
        for (int i = 0; i < 3; i++) {
            r[i] = T(0);
            for (int j = 0; j < 3; j++) { r[i] += T(edge.root(i, j)) * e[j]; }
        }
        return true;
    }
    Edge edge;
};

static bool read(const char *path, std::vector<double> &poses, std::vector<Edge> &edges)
{
    std::ifstream file(path);
    std::string line, tag;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        words >> tag;
        if (tag == "VERTEX_SE2") {
            size_t id;
            double x, y, yaw;
            words >> id >> x >> y >> yaw;
            if (poses.size() < 3 * (id + 1)) { poses.resize(3 * (id + 1)); }
            poses[3 * id] = x, poses[3 * id + 1] = y, poses[3 * id + 2] = yaw;
        } else if (tag == "EDGE_SE2") {
            Edge e;
            double i[6];
            words >> e.from >> e.to >> e.x >> e.y >> e.yaw;
            for (double &v : i) { words >> v; }
            Eigen::Matrix3d information;
            information << i[0], i[1], i[2], i[1], i[3], i[4], i[2], i[4], i[5];
            e.root = information.llt().matrixL().transpose();
            edges.push_back(e);
        }
    }
    return !poses.empty() && !edges.empty();
}

static double cpu_ms()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    std::vector<double> start;
    std::vector<Edge> edges;
    if (argc < 2 || !read(argv[1], start, edges)) { return 1; }
    double best = 1e300, chi2 = 0;
    int iterations = 0;
    for (int round = 0; round < 3; round++) {
        std::vector<double> poses = start;
        ceres::Problem problem;
        for (const Edge &e : edges) {
            problem.AddResidualBlock(new ceres::AutoDiffCostFunction<Error, 3, 3, 3>(new Error(e)), nullptr,
                                     &poses[3 * e.from], &poses[3 * e.to]);
        }
        problem.SetParameterBlockConstant(&poses[0]);
        ceres::Solver::Options options;
        options.max_num_iterations = 100;
        options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
        options.num_threads = 1;
        ceres::Solver::Summary summary;
        const double begun = cpu_ms();
        ceres::Solve(options, &problem, &summary);
        const double took = cpu_ms() - begun;
        if (took < best) { best = took; }
        chi2 = 2 * summary.final_cost;
        iterations = (int)summary.iterations.size();
    }
    std::printf("%.4f %.6f %d\n", best, chi2, iterations);
    return 0;
}
