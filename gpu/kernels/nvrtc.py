"""Compiles obliqua.cu with NVRTC. usage: nvrtc.py LIBNVRTC ARCH OUT

ARCH is compute_NN for PTX or sm_NN for a program of that device."""
import ctypes, pathlib, sys


def main(library, arch, out):
    here = pathlib.Path(__file__).parent
    nvrtc = ctypes.CDLL(library)
    text = b''.join((here / name).read_bytes() for name in ('device.h', 'obliqua.cu'))
    program = ctypes.c_void_p()

    def must(code):
        if code:
            raise SystemExit(f'{arch}: NVRTC error {code}')

    must(nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, b'obliqua.cu', 0, None, None))
    options = [b'--gpu-architecture=' + arch.encode(), b'--fmad=false', b'--ftz=false', b'--prec-div=true', b'--std=c++17']
    failed = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    size = ctypes.c_size_t()
    must(nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size)))
    log = ctypes.create_string_buffer(size.value)
    must(nvrtc.nvrtcGetProgramLog(program, log))
    if log.value:
        print(log.value.decode(), file=sys.stderr)
    must(failed)
    form = 'PTX' if arch.startswith('compute_') else 'CUBIN'
    must(nvrtc[f'nvrtcGet{form}Size'](program, ctypes.byref(size)))
    code = ctypes.create_string_buffer(size.value)
    must(nvrtc[f'nvrtcGet{form}'](program, code))
    pathlib.Path(out).write_bytes(code.raw[:-1] if form == 'PTX' else code.raw)  # without the closing NUL


main(*sys.argv[1:])
