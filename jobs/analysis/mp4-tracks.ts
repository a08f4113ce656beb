import { readBox } from './container-elements.ts'
import type { FileWindow } from './file-window.ts'
import type { StatedSound } from './stated-sound.ts'

interface Track {
  handler: string
  codec: string
}

// Those of a file that plays nest five levels.
const maxDepth = 8
const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl'])
// Common encryption (ISO/IEC 23001-7) and FairPlay.
const encryptedCodecs = new Set(['enca', 'drms'])

/** Lists the tracks of an MP4 file. Its elements must have been counted. */
const listMp4Tracks = (file: FileWindow): readonly Track[] => {
  const tracks: Track[] = []
  const walk = (start: number, end: number, depth: number) => {
    for (let offset = start; offset < end; ) {
      const box = readBox(file, offset, end)
      if (!box) return
      const header = file.readHeader(offset, 32)
      const id = header.toString('latin1', 4, 8)
      const body = box.childrenOffset ?? offset + 8
      if (id === 'trak') tracks.push({ handler: '', codec: '' })
      const track = tracks.at(-1)
      // The handler of other boxes is not that of a track.
      if (id === 'hdlr' && track && track.handler === '') track.handler = header.toString('latin1', 16, 20)
      if (id === 'stsd' && track) track.codec = header.toString('latin1', 20, 24)
      if (containers.has(id) && depth < maxDepth) walk(body, Math.min(box.end, end), depth + 1)
      offset = box.end
    }
  }
  walk(0, file.fileSize, 0)
  return tracks
}

/** Whether an MP4 file has sound, and whether that is encrypted. */
export const readMp4Sound = (file: FileWindow): StatedSound => {
  const sounds = listMp4Tracks(file).filter(({ handler }) => handler === 'soun')
  return {
    hasSound: sounds.length > 0,
    isEncrypted: sounds.some(({ codec }) => encryptedCodecs.has(codec)),
  }
}
