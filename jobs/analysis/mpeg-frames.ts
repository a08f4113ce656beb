import type { FileWindow } from './file-window.ts'
import { findId3End } from './id3.ts'

interface Frame {
  readonly bytes: number
  readonly samples: number
  readonly sampleRate: number
  readonly channels: number
  /** Bytes between the frame's header and the encoder's data, which the first frame may contain instead of sound. */
  readonly sideBytes: number
}

interface MpegSound {
  readonly start: number
  readonly declaredS: number | undefined
  readonly sampleRate: number
  readonly channels: number
}

// How far players look for the first frame, and how many frames in a row rule out a coincidence.
const maxOtherBytes = 256 * 1024
const requiredFrames = 3

const kilobits1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const kilobits2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const sampleRates = [44_100, 48_000, 32_000]

// ISO/IEC 11172-3, section 2.4.1.3, and its extensions to lower sample rates; layer III only
const readFrame = (file: FileWindow, offset: number): Frame | null => {
  const header = file.readHeader(offset, 4).readUInt32BE(0)
  const version = (header >>> 19) & 3
  if (header >>> 21 !== 0x7ff || version === 1 || ((header >>> 17) & 3) !== 1) return null
  const isVersion1 = version === 3
  const kilobits = (isVersion1 ? kilobits1 : kilobits2)[(header >>> 12) & 15]
  const fullRate = sampleRates[(header >>> 10) & 3]
  if (!kilobits || !fullRate) return null
  const sampleRate = fullRate / (isVersion1 ? 1 : version === 2 ? 2 : 4)
  const samples = isVersion1 ? 1152 : 576
  const isMono = ((header >>> 6) & 3) === 3
  return {
    bytes: Math.floor((samples * kilobits * 125) / sampleRate) + ((header >>> 9) & 1),
    samples,
    sampleRate,
    channels: isMono ? 1 : 2,
    sideBytes: isVersion1 ? (isMono ? 17 : 32) : isMono ? 9 : 17,
  }
}

const startsWithFrames = (file: FileWindow, start: number) => {
  const first = readFrame(file, start)
  let offset = start
  for (let count = 0; count < requiredFrames; count++) {
    if (count > 0 && offset >= file.fileSize) return true
    const frame = readFrame(file, offset)
    if (!frame || frame.sampleRate !== first?.sampleRate) return false
    offset += frame.bytes
  }
  return true
}

// Encoders store the number of frames in the first frame. LAME and others also store how many samples of padding they
// added.
const readDeclaredSamples = (file: FileWindow, start: number, { sideBytes, samples }: Frame) => {
  const header = file.readHeader(start + 4 + sideBytes, 160)
  const flags = header.readUInt32BE(4)
  if (!/^(?:Xing|Info)/.test(header.toString('latin1', 0, 4)) || (flags & 1) === 0) return undefined
  const frames = header.readUInt32BE(8)
  const encoder = 12 + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0)
  const added = header.readUIntBE(encoder + 21, 3)
  const total = frames * samples
  const kept = total - (added >>> 12) - (added & 0xfff)
  return /^(?:LAME|Lav[cf])/.test(header.toString('latin1', encoder, encoder + 4)) && kept > 0 ? kept : total
}

export const findMpegSound = (file: FileWindow): MpegSound | null => {
  const from = findId3End(file)
  const last = Math.min(file.fileSize, from + maxOtherBytes)
  for (let start = from; start < last; start++) {
    const frame = readFrame(file, start)
    if (!frame || !startsWithFrames(file, start)) continue
    const { sampleRate, channels } = frame
    const declared = readDeclaredSamples(file, start, frame)
    return {
      start,
      declaredS: declared === undefined ? undefined : declared / sampleRate,
      sampleRate,
      channels,
    }
  }
  return null
}
