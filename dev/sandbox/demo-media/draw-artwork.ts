import { crc32, deflateSync } from 'node:zlib'
import type { Colour, DemoSong } from './songs.ts'

const size = 400
const horizonY = 0.62
// From back to front: where each wave begins, its height, and how often it repeats.
const waves = [
  [horizonY, 0.008, 3],
  [0.71, 0.014, 2.2],
  [0.82, 0.02, 1.6],
] as const

const blend = (from: Colour, to: Colour, share: number): Colour => {
  const at = Math.min(1, Math.max(0, share))
  const channel = (index: 0 | 1 | 2) => from[index] + (to[index] - from[index]) * at
  return [channel(0), channel(1), channel(2)]
}

// The edge fades over one pixel, so that it looks smooth.
const coverage = (distance: number) => distance * size + 0.5

const colourAt = ({ art }: DemoSong, x: number, y: number): Colour => {
  const [discX, discY, radius] = art.place
  let colour = blend(art.sky, art.horizon, y / horizonY)
  colour = blend(colour, art.disc, coverage(radius - Math.hypot(x - discX, y - discY)))
  for (const [index, [top, height, count]] of waves.entries()) {
    const surface = top + height * Math.sin(2 * Math.PI * count * x + index * 2)
    const depth = blend(art.horizon, art.sea, 0.5 + index * 0.25)
    colour = blend(colour, depth, coverage(y - surface))
  }
  return colour
}

const chunk = (type: string, body: Buffer) => {
  const typed = Buffer.concat([Buffer.from(type), body])
  const framed = Buffer.alloc(typed.length + 8)
  framed.writeUInt32BE(body.length)
  typed.copy(framed, 4)
  framed.writeUInt32BE(crc32(typed), typed.length + 4)
  return framed
}

const encodePng = (rows: Buffer) => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  // 8 bits each of red, green and blue.
  header.set([8, 2], 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

export const drawArtwork = (song: DemoSong): Buffer => {
  const rowBytes = 1 + 3 * size
  const rows = Buffer.alloc(size * rowBytes)
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) rows.set(colourAt(song, x / size, y / size), y * rowBytes + 1 + 3 * x)
  return encodePng(rows)
}
