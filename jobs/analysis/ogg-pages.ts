import type { StatedSound } from './describe-stream.ts'
import type { FileWindow } from './file-window.ts'
import { findId3End } from './id3.ts'

interface Stream {
  readonly serial: number
  readonly sampleRate: number
  readonly channels: number
  /** Frames at the start that are not played. */
  readonly skippedFrames: number
}

interface Page {
  readonly isFirst: boolean
  /** The stream's frames up to the page's end; -1 if no packet ends on the page. */
  readonly frames: number
  readonly serial: number
  readonly contentOffset: number
  readonly end: number
}

/** A link of a chained file. Links are played one after the other. */
interface Link {
  stream: Stream | null
  firstFrames: number | undefined
  lastFrames: number
}

const headerBytes = 27
const maxSegments = 255
const maxOtherBytes = 65_536
// A stream whose first page ends later was recorded from the middle, so it does not start counting at 0.
const maxFirstPageS = 3

// RFC 3533, section 6
const readPage = (file: FileWindow, offset: number): Page | null => {
  const header = file.readHeader(offset, headerBytes + maxSegments)
  if (header.toString('latin1', 0, 4) !== 'OggS') return null
  const segments = header.readUInt8(26)
  const contentOffset = offset + headerBytes + segments
  const contentBytes = header
    .subarray(headerBytes, headerBytes + segments)
    .reduce((sum, size) => sum + size, 0)
  return {
    isFirst: (header.readUInt8(5) & 2) !== 0,
    frames: Number(header.readBigInt64LE(6)),
    serial: header.readUInt32LE(14),
    contentOffset,
    end: contentOffset + contentBytes,
  }
}

const findPage = (file: FileWindow, start: number) => {
  const last = Math.min(start + maxOtherBytes, file.fileSize)
  for (let offset = start; offset < last; offset++) {
    const page = readPage(file, offset)
    if (page) return page
  }
  return null
}

const readStream = (file: FileWindow, { contentOffset, serial }: Page): Stream | null => {
  const packet = file.readHeader(contentOffset, 64)
  const text = packet.toString('latin1', 0, 8)
  const describe = (sampleRate: number, channels: number, skippedFrames = 0): Stream => ({
    serial,
    sampleRate,
    channels,
    skippedFrames,
  })
  if (text.startsWith('\x01vorbis')) return describe(packet.readUInt32LE(12), packet.readUInt8(11))
  if (text === 'OpusHead') return describe(48_000, packet.readUInt8(9), packet.readUInt16LE(10))
  if (text === 'Speex   ') return describe(packet.readUInt32LE(36), packet.readUInt32LE(48))
  // RFC 9639, section 10.1: in STREAMINFO, ten bytes of sizes precede the sample rate (20 bits) and the channels (3
  // bits).
  if (text.startsWith('\x7fFLAC')) {
    const format = packet.readUIntBE(27, 3)
    return describe(format >>> 4, ((format >>> 1) & 7) + 1)
  }
  return null
}

const measureLink = ({ stream, firstFrames = 0, lastFrames }: Link) => {
  if (!stream?.sampleRate) return 0
  const { sampleRate, skippedFrames } = stream
  const start = firstFrames > maxFirstPageS * sampleRate ? firstFrames : skippedFrames
  return Math.max(0, lastFrames - start) / sampleRate
}

/** If several streams play at once, reads only the first with sound. */
export const readOggSound = (file: FileWindow): StatedSound => {
  const links: Link[] = []
  let current: Link | undefined
  let isInHeaders = false
  for (let page = findPage(file, findId3End(file)); page; page = findPage(file, page.end)) {
    if (page.isFirst) {
      if (!isInHeaders || !current) {
        current = { stream: null, firstFrames: undefined, lastFrames: 0 }
        links.push(current)
      }
      current.stream ??= readStream(file, page)
    } else if (current?.stream?.serial === page.serial && page.frames > 0) {
      current.firstFrames ??= page.frames
      current.lastFrames = page.frames
    }
    isInHeaders = page.isFirst
  }
  const sounds = links.filter(({ stream }) => stream !== null)
  const [first] = sounds
  return {
    hasSound: first !== undefined,
    durationS: sounds.reduce((sum, link) => sum + measureLink(link), 0),
    declaredS: first && measureLink(first),
    sampleRate: first?.stream?.sampleRate,
    channels: first?.stream?.channels,
  }
}
