import type { FileWindow } from './file-window.ts'

// ISO/IEC 14496-12, sections 8.8.7, 8.8.8 and 8.8.12: flags for a header's optional fields
const hasBaseDataOffset = 0x1
const hasDescriptionIndex = 0x2
const hasDefaultDuration = 0x8
const hasDataOffset = 0x1
const hasFirstFlags = 0x4
const hasDuration = 0x100
const otherSampleFields = [0x200, 0x400, 0x800] as const

const sizeIf = (flags: number, flag: number, bytes: number) => ((flags & flag) !== 0 ? bytes : 0)

/** Times of a track's fragments, in units of its time scale. */
interface Fragments {
  firstTick: number
  /** Includes gaps between fragments. */
  endTick: number
  sampleTicks: number
}

export const createFragmentClock = () => {
  const defaultTicks = new Map<number, number>()
  const tracks = new Map<number, Fragments>()
  let [trackId, fragmentDefault] = [0, 0]

  const moveTo = (tick: number) => {
    const fragments = tracks.get(trackId)
    if (fragments) fragments.endTick = Math.max(fragments.endTick, tick)
    else tracks.set(trackId, { firstTick: tick, endTick: tick, sampleTicks: 0 })
  }
  const addSamples = (ticks: number) => {
    const fragments = tracks.get(trackId) ?? { firstTick: 0, endTick: 0, sampleTicks: 0 }
    fragments.endTick += ticks
    fragments.sampleTicks += ticks
    tracks.set(trackId, fragments)
  }

  const readRun = (file: FileWindow, offset: number, end: number) => {
    const header = file.readHeader(offset, 16)
    const flags = header.readUIntBE(9, 3)
    const count = header.readUInt32BE(12)
    if ((flags & hasDuration) === 0) return count * fragmentDefault
    const first = offset + 16 + sizeIf(flags, hasDataOffset, 4) + sizeIf(flags, hasFirstFlags, 4)
    const sampleBytes = otherSampleFields.reduce((sum, flag) => sum + sizeIf(flags, flag, 4), 4)
    const last = Math.min(first + count * sampleBytes, end)
    let sum = 0
    for (let at = first; at < last; at += sampleBytes) sum += file.readHeader(at, 4).readUInt32BE(0)
    return sum
  }

  return {
    /**
     * Reads a box that describes one fragment or all of them; ignores other boxes. `offset` is where the box starts.
     */
    readBox(file: FileWindow, id: string, offset: number, end: number) {
      const header = file.readHeader(offset, 40)
      if (id === 'trex') defaultTicks.set(header.readUInt32BE(12), header.readUInt32BE(20))
      if (id === 'tfhd') {
        const flags = header.readUIntBE(9, 3)
        const at = 16 + sizeIf(flags, hasBaseDataOffset, 8) + sizeIf(flags, hasDescriptionIndex, 4)
        trackId = header.readUInt32BE(12)
        fragmentDefault =
          (flags & hasDefaultDuration) === 0 ? (defaultTicks.get(trackId) ?? 0) : header.readUInt32BE(at)
      }
      if (id === 'tfdt')
        moveTo(header.readUInt8(8) === 1 ? Number(header.readBigUInt64BE(12)) : header.readUInt32BE(12))
      if (id === 'trun') addSamples(readRun(file, offset, end))
    },
    fragmentsOf: (id: number) => tracks.get(id),
  }
}
