"""A socket that nobody else can dial at any moment, in a directory that is verified."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bridge.contract.native_names import MAX_PATH_BYTES, read_socket_name
from bridge.servers import native_listener
from bridge.servers.native_directory import NativeError, require_platform
from bridge.servers.native_listener import NativeListener
from tests.python.support.fake_bridge import PATIENCE_SECONDS
from tests.python.support.native_app import app_process, short_directory

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no native sockets")
needs_root = pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can act as other users"
)


@pytest.fixture
def directory() -> Iterator[Path]:
    with short_directory() as path:
        yield path


def mode_of(path: Path | str) -> int:
    return stat.S_IMODE(os.lstat(path).st_mode)


def names_in(path: Path) -> list[str]:
    return [entry.name for entry in path.iterdir()]


def answers(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as dialled:
        try:
            dialled.connect(path)
        except OSError:
            return False
    return True


def test_a_socket_is_named_after_its_app_and_process(directory: Path) -> None:
    listener = NativeListener.open("Mein Gemälde", str(directory))
    try:
        name = read_socket_name(Path(listener.path).name)
        assert name is not None
        assert (name.slug, name.pid) == ("mein-gemalde", os.getpid())
        assert names_in(directory) == [name.file_name]
        assert answers(listener.path)
    finally:
        listener.close()
    assert names_in(directory) == []


@pytest.mark.parametrize("umask", [0, 0o022, 0o777])
def test_the_node_is_private_from_the_moment_that_it_exists(
    directory: Path, monkeypatch: pytest.MonkeyPatch, umask: int
) -> None:
    seen: list[tuple[int, int]] = []

    class Watched(socket.socket):  # what a listener makes
        def bind(self, address: object, /) -> None:
            super().bind(address)  # type: ignore[arg-type]
            node = Path(str(address))
            seen.append((mode_of(node), mode_of(node.parent)))

    before = os.umask(umask)
    try:
        with socket.socket(socket.AF_UNIX) as plain:
            plain.bind(str(directory / "plain"))
        assert mode_of(directory / "plain") == 0o777 & ~umask, "the control: others could dial it"
        monkeypatch.setattr(socket, "socket", Watched)
        monkeypatch.setattr(os, "umask", _forbidden)
        listener = NativeListener.open("a", str(directory))
    finally:
        monkeypatch.undo()
        assert os.umask(before) == umask, "the umask of the process is left alone"
    try:
        [(node, around)] = seen
        assert not node & 0o177
        assert not around & 0o077
        assert mode_of(listener.path) == 0o600
        assert answers(listener.path)
    finally:
        listener.close()


def _forbidden(_mask: int) -> int:
    raise AssertionError("the umask is every thread's")


def test_a_socket_is_listened_on_before_it_can_be_found(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.rename
    listening: list[bool] = []

    def watched(source: str, target: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        listening.append(answers(f"{directory}/{source}"))
        rename(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    monkeypatch.setattr(os, "rename", watched)
    NativeListener.open("a", str(directory)).close()
    assert listening == [True]


def wide(path: Path) -> None:
    path.mkdir()
    path.chmod(0o755)


def world(path: Path) -> None:
    path.mkdir()
    path.chmod(0o777)


def file(path: Path) -> None:
    path.write_text("")


def link(path: Path) -> None:
    (path.parent / "elsewhere").mkdir(mode=0o700)
    path.symlink_to(path.parent / "elsewhere")


def dangling(path: Path) -> None:
    path.symlink_to(path.parent / "nowhere")


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (wide, "its mode is 0755, not 0700"),
        (world, "its mode is 0777, not 0700"),
        (file, "it is not a directory"),
        (link, "it is a symbolic link"),
        (dangling, "it is a symbolic link"),
    ],
)
def test_a_directory_that_is_not_private_is_refused_and_never_repaired(
    directory: Path, make: Callable[[Path], None], reason: str
) -> None:
    where = directory / "d"
    make(where)
    before = os.lstat(where)
    with pytest.raises(NativeError, match=reason):
        NativeListener.open("a", str(where))
    after = os.lstat(where)
    assert (after.st_mode, after.st_uid, after.st_ino) == (
        before.st_mode,
        before.st_uid,
        before.st_ino,
    )
    assert not (directory / "nowhere").exists()


@needs_root
def test_another_user_s_directory_is_refused_and_left_as_it_is(directory: Path) -> None:
    where = directory / "d"
    where.mkdir(mode=0o700)
    os.chown(where, 12_345, 12_345)
    with pytest.raises(NativeError, match="it belongs to another user"):
        NativeListener.open("a", str(where))
    assert os.lstat(where).st_uid == 12_345
    assert names_in(where) == []


def test_the_directory_around_it_is_verified_as_well(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(directory))
    wide(directory / "bascule")
    with pytest.raises(NativeError, match="0755"):
        NativeListener.open("a")
    (directory / "bascule").chmod(0o700)
    listener = NativeListener.open("a")
    listener.close()
    assert mode_of(directory / "bascule" / "native") == 0o700


def test_a_directory_that_is_missing_is_made_private(directory: Path) -> None:
    before = os.umask(0)
    try:
        NativeListener.open("a", str(directory / "d")).close()
    finally:
        os.umask(before)
    assert mode_of(directory / "d") == 0o700


def test_a_umask_that_spoils_the_directory_leaves_none_behind(directory: Path) -> None:
    missing = directory / "native"
    before = os.umask(0o177)
    try:
        with pytest.raises(NativeError, match="its mode is 0600"):
            NativeListener.open("x", str(missing))
    finally:
        os.umask(before)
    assert not missing.exists()
    NativeListener.open("x", str(missing)).close()


def test_a_path_too_long_for_a_socket_is_a_clear_error(directory: Path) -> None:
    where = directory / ("x" * MAX_PATH_BYTES)
    with pytest.raises(NativeError, match="too long a path for the socket"):
        NativeListener.open("a", str(where))
    assert names_in(where) == []


def test_several_instances_have_a_socket_each(directory: Path) -> None:
    one = NativeListener.open("Draw", str(directory))
    two = NativeListener.open("Draw", str(directory))
    assert one.path != two.path
    one.close()
    assert names_in(directory) == [Path(two.path).name]
    assert answers(two.path), "the other one's is left alone"
    two.close()


def test_a_killed_app_s_socket_goes_when_the_next_one_starts(directory: Path) -> None:
    with app_process("Draw", str(directory)) as (child, path):
        assert answers(path)
        child.send_signal(signal.SIGKILL)
        child.wait(PATIENCE_SECONDS)
        assert Path(path).exists()
        assert not answers(path)
        listener = NativeListener.open("Draw", str(directory))
        assert names_in(directory) == [Path(listener.path).name]
        listener.close()


def test_a_live_socket_is_not_taken_for_a_leftover(directory: Path) -> None:
    # As from a container of its own, where the process has another number.
    path = directory / "draw.4294967295.01234567.sock"
    with socket.socket(socket.AF_UNIX) as live:
        live.bind(str(path))
        live.listen()
        NativeListener.open("Draw", str(directory)).close()
        assert path.exists()
    NativeListener.open("Draw", str(directory)).close()
    assert not path.exists(), "the control: dead, it goes"


def test_what_is_no_socket_is_no_leftover(directory: Path) -> None:
    kept = directory / "draw.4294967295.01234567.sock"
    kept.write_text("not ours to remove")
    NativeListener.open("Draw", str(directory)).close()
    assert kept.read_text() == "not ours to remove"


def test_who_has_taken_the_name_is_not_removed(directory: Path) -> None:
    listener = NativeListener.open("a", str(directory))
    Path(listener.path).unlink()
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(listener.path)
        other.listen()
        listener.close()
        assert answers(listener.path)


def test_closing_twice_is_nothing_new(directory: Path) -> None:
    listener = NativeListener.open("a", str(directory))
    listener.close()
    listener.close()


def test_an_app_that_just_ends_leaves_no_socket(directory: Path) -> None:
    with app_process("Draw", str(directory), then="sys.exit(0)") as (child, path):
        assert path.startswith(str(directory))
        assert child.wait(PATIENCE_SECONDS) == 0
    assert names_in(directory) == []


def _close_in_child(listener: NativeListener) -> None:
    listener.close()


def test_a_forked_child_does_not_remove_its_parent_s_socket(directory: Path) -> None:
    listener = NativeListener.open("a", str(directory))
    try:
        child = multiprocessing.get_context("fork").Process(
            target=_close_in_child, args=(listener,)
        )
        child.start()
        child.join(PATIENCE_SECONDS)
        assert child.exitcode == 0
        assert answers(listener.path)
    finally:
        listener.close()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no /proc to look at")
def test_programs_that_the_app_starts_do_not_get_the_socket(directory: Path) -> None:
    look = (
        "import os\n"
        "for fd in os.listdir('/proc/self/fd'):\n"
        "    try: print(os.readlink(f'/proc/self/fd/{fd}'))\n"
        "    except OSError: pass"
    )

    def handles() -> str:
        done = subprocess.run(
            [sys.executable, "-c", look], close_fds=False, capture_output=True, check=True
        )
        return done.stdout.decode()

    listener = NativeListener.open("a", str(directory))
    try:
        inode = str(Path(f"/proc/self/fd/{listener.socket.fileno()}").readlink())
        assert inode not in handles()
        assert str(directory) not in handles()
        os.set_inheritable(listener.socket.fileno(), True)
        assert inode in handles(), "the control: it would be seen"
    finally:
        listener.close()


def test_a_platform_that_cannot_tell_users_is_refused() -> None:
    require_platform("linux")
    require_platform("darwin")
    with pytest.raises(NativeError, match="Windows"):
        require_platform("win32")
    with pytest.raises(NativeError, match="freebsd14"):
        require_platform("freebsd14")


def test_a_user_who_stands_for_anybody_cannot_serve(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native_listener, "OVERFLOW_UID", os.getuid())
    with pytest.raises(NativeError, match="could not be told apart"):
        NativeListener.open("a", str(directory))
    assert names_in(directory) == []


def test_what_fails_half_way_leaves_nothing_behind(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "rename", fails)
    with pytest.raises(NativeError, match="No space left"):
        NativeListener.open("a", str(directory))
    assert names_in(directory) == []
