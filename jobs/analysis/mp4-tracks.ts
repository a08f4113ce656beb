import { readBox } from './container-elements.ts'
import type { FileWindow } from './file-window.ts'
import { createFragmentClock } from './mp4-fragments.ts'
import type { StatedSound } from './stated-sound.ts'

interface Track {
  id: number
  handler: string
  codec: string
  /** Ticks per second. */
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
