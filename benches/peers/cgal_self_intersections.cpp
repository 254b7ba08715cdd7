// Where a mesh meets itself, by CGAL, on one thread: reads an OFF file, prints milliseconds, writes pairs of faces.
// See README.md beside this file.

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/boost/graph/IO/polygon_mesh_io.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <utility>
#include <vector>

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Mesh = CGAL::Surface_mesh<Kernel::Point_3>;

int main(int count, char **words) {
    if (count < 2) {
        std::cerr << "usage: cgal_self_intersections MESH.off [PAIRS.txt [REPEATS]]\n";
        return 2;
    }
    Mesh mesh;
    if (!CGAL::IO::read_polygon_mesh(words[1], mesh) || !CGAL::is_triangle_mesh(mesh)) {
        std::cerr << words[1] << ": not a mesh of triangles\n";
        return 2;
    }
    const int repeats = count > 3 ? std::max(1, std::atoi(words[3])) : 3;
    std::vector<std::pair<Mesh::Face_index, Mesh::Face_index>> pairs;
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < repeats; ++k) {
        pairs.clear();
        const auto start = std::chrono::steady_clock::now();
        CGAL::Polygon_mesh_processing::self_intersections<CGAL::Sequential_tag>(mesh, std::back_inserter(pairs));
        const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
        least = std::min(least, time.count());
    }
    std::cout << mesh.number_of_faces() << " faces, least of " << repeats << ": " << least << " ms, " << pairs.size()
              << " pairs\n";
    if (count > 2) {
        std::ofstream file(words[2]);
        for (const auto &pair : pairs) {
            const auto [a, b] = std::minmax<std::size_t>({std::size_t(pair.first), std::size_t(pair.second)});
            file << a << ' ' << b << '\n';
        }
        if (!file) {
            std::cerr << words[2] << ": cannot be written\n";
            return 2;
        }
    }
}
