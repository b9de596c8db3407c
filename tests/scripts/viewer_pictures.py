"""Pictures of the viewer: PNG files of four bytes a pixel, and what tests measure in them."""
import struct
import zlib

WIDTH, HEIGHT = 320, 200
CELL = 10 # pixels of a side of a region


def paeth(left, up, corner):
    """Returns the one of the three that is nearest to left + up - corner; the first of equals."""
    far_left, far_up, far_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    if far_left <= far_up and far_left <= far_corner:
        return left
    return up if far_up <= far_corner else corner


def unfilter(kind, line, above):
    """Undoes the filter of a line of bytes, in place; the line above and the pixel before are 0 at edges."""
    if kind == 2:
        return bytearray(a + b & 255 for a, b in zip(line, above))
    if kind == 0:
        return line
    for i in range(len(line)):
        left = line[i - 4] if i >= 4 else 0
        if kind == 1:
            line[i] = line[i] + left & 255
        elif kind == 3:
            line[i] = line[i] + (left + above[i] >> 1) & 255
        else:
            line[i] = line[i] + paeth(left, above[i], above[i - 4] if i >= 4 else 0) & 255
    return line


def size_of(path):
    """Returns width and height of a PNG file."""
    return struct.unpack('>II', path.read_bytes()[16:24])


def read_png(path):
    """Returns the rows of a PNG file of four bytes a pixel."""
    data, at, packed = path.read_bytes(), 8, b''
    width, height = size_of(path)
    while at < len(data):
        length, = struct.unpack('>I', data[at:at + 4])
        if data[at + 4:at + 8] == b'IDAT':
            packed += data[at + 8:at + 8 + length]
        at += 12 + length
    raw, stride, rows = zlib.decompress(packed), 4 * width, []
    above = bytearray(stride)
    for y in range(height):
        first = y * (stride + 1)
        above = unfilter(raw[first], bytearray(raw[first + 1:first + 1 + stride]), above)
        rows.append(above)
    return rows


def regions(rows):
    """Returns the mean brightness of each region, 0 .. 255."""
    means = []
    for top in range(0, len(rows), CELL):
        for left in range(0, len(rows[0]) // 4, CELL):
            total = sum(sum(row[4 * x:4 * x + 3])
                        for row in rows[top:top + CELL] for x in range(left, left + CELL))
            means.append(total / (3 * CELL * CELL))
    return means


def differing(rows, others):
    """Returns how many pixels of two pictures differ visibly."""
    return sum(max(abs(a[i + c] - b[i + c]) for c in range(3)) > 12
               for a, b in zip(rows, others) for i in range(0, len(a), 4))
