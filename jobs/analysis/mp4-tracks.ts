import { readBox } from './container-elements.ts'
import type { StatedSound } from './describe-stream.ts'
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

interface Fragments {
  firstTick: number
  /** Includes gaps between fragments. */
  endTick: number
  sampleTicks: number
}

const createFragmentClock = () => {
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
    /** Ignores boxes that describe no fragment. `offset` is where the box starts. */
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

interface Track {
  id: number
  handler: string
  codec: string
  timescale: number
}

// Boxes of a playable file nest five levels deep.
const maxDepth = 8
const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'mvex', 'moof', 'traf'])
// common encryption (ISO/IEC 23001-7) and FairPlay
const encryptedCodecs = new Set(['enca', 'drms'])
// chapter covers
const pictureCodecs = new Set(['jpeg', 'png '])

/** Call `requireFewElements` first. */
const readMp4Tracks = (file: FileWindow) => {
  const tracks: Track[] = []
  const fragments = createFragmentClock()
  const walk = (start: number, end: number, depth: number) => {
    for (let offset = start; offset < end; ) {
      const box = readBox(file, offset, end)
      if (!box) return
      const header = file.readHeader(offset, 32)
      const id = header.toString('latin1', 4, 8)
      const body = box.childrenOffset ?? offset + 8
      if (id === 'trak') tracks.push({ id: 0, handler: '', codec: '', timescale: 0 })
      const track = tracks.at(-1)
      // `hdlr` boxes also occur elsewhere, so only the first one in a track counts.
      if (id === 'hdlr' && track && track.handler === '') track.handler = header.toString('latin1', 16, 20)
      if (id === 'stsd' && track) track.codec = header.toString('latin1', 20, 24)
      // The two times before these fields have 32 bits each, or 64 in version 1.
      const afterTimes = header.readUInt8(8) === 1 ? 28 : 20
      if (id === 'tkhd' && track) track.id = header.readUInt32BE(afterTimes)
      if (id === 'mdhd' && track) track.timescale = header.readUInt32BE(afterTimes)
      fragments.readBox(file, id, offset, Math.min(box.end, end))
      if (containers.has(id) && depth < maxDepth) walk(body, Math.min(box.end, end), depth + 1)
      offset = box.end
    }
  }
  walk(0, file.fileSize, 0)
  return { tracks, fragments }
}

export const readMp4Sound = (file: FileWindow): StatedSound => {
  const { tracks, fragments } = readMp4Tracks(file)
  const sounds = tracks.filter(({ handler }) => handler === 'soun')
  const [sound] = sounds
  const found = sound && fragments.fragmentsOf(sound.id)
  const toSeconds = (ticks: number) => (sound?.timescale ? ticks / sound.timescale : undefined)
  return {
    hasSound: sound !== undefined,
    isEncrypted: sounds.some(({ codec }) => encryptedCodecs.has(codec)),
    hasVideo: tracks.some(({ handler, codec }) => handler === 'vide' && !pictureCodecs.has(codec)),
    durationS: found && toSeconds(found.endTick - found.firstTick),
    declaredS: found && toSeconds(found.sampleTicks),
  }
}
