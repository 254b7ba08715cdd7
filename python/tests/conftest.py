import os

import numpy
import pytest

import obbligato

# Ray's processes read them. Its limit for workers is too short for a machine that is busy with other work, and it starts workers for
# tasks without `runtime_env`, which no check has.
os.environ.update(RAY_worker_register_timeout_seconds="600", RAY_prestart_worker_first_driver="0", RAY_enable_worker_prestart="0")


@pytest.fixture(params=["cpu", "gpu"])
def backend(request):
    """Both backends. Without an adapter the tests on a GPU fail: none is skipped silently."""
    return request.param


def cubes(*centers, half=1.0):
    """Cubes along the axes of the world."""
    return numpy.array([[*center, half, half, half, 0, 0, 0, 1] for center in centers], numpy.float32)


def row(*places, half=1.0):
    """Cubes on the x axis."""
    return cubes(*((place, 0, 0) for place in places), half=half)


@pytest.fixture(scope="session")
def crowd():
    return obbligato.scene("crowd", 2000)
