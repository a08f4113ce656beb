import { readBox } from './container-elements.ts'
import type { FileWindow } from './file-window.ts'
import type { StatedSound } from './stated-sound.ts'

interface Track {
  handler: string
  codec: string
}

const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl'])
// Common encryption (ISO/IEC 23001-7) and FairPlay.
const encryptedCodecs = new Set(['enca', 'drms'])

/** Lists the tracks of an MP4 file. Its elements must have been counted. */
const listMp4Tracks = (file: FileWindow): readonly Track[] => {
  const tracks: Track[] = []
  const walk = (start: number, end: number) => {
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
      if (containers.has(id)) walk(body, Math.min(box.end, end))
      offset = box.end
    }
  }
  walk(0, file.fileSize)
  return tracks
}

/** Whether an MP4 file has sound, and whether that is encrypted. */
export const readMp4Sound = (file: FileWindow): StatedSound => {
  const tracks = listMp4Tracks(file)
  const sounds = tracks.filter(({ handler }) => handler === 'soun')
  return {
    // A file without an index may be played by what is more tolerant.
    hasSound: tracks.length === 0 || sounds.length > 0,
    isEncrypted: sounds.some(({ codec }) => encryptedCodecs.has(codec)),
  }
}
