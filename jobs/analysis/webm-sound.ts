import { readEbmlHeader } from './container-elements.ts'
import type { StatedSound } from './describe-stream.ts'
import type { FileWindow } from './file-window.ts'

interface Track {
  number: number
  type: number
  codec: string
  sampleRate: number
  channels: number
  frameNs: number
  isEncrypted: boolean
}

// RFC 9559, section 5
const ids = {
  segment: '18538067',
  info: '1549a966',
  timestampScale: '2ad7b1',
  duration: '4489',
  tracks: '1654ae6b',
  trackEntry: 'ae',
  trackNumber: 'd7',
  trackType: '83',
  codec: '86',
  defaultDuration: '23e383',
  audio: 'e1',
  samplingFrequency: 'b5',
  channels: '9f',
  encodings: '6d80',
  encoding: '6240',
  encryption: '5035',
  cluster: '1f43b675',
  timestamp: 'e7',
  simpleBlock: 'a3',
  blockGroup: 'a0',
  block: 'a1',
} as const

// The children of these are read as if they were siblings, so it does not matter where an element of unknown size ends.
const containers = new Set<string>([
  ids.segment,
  ids.info,
  ids.tracks,
  ids.trackEntry,
  ids.audio,
  ids.encodings,
  ids.encoding,
  ids.cluster,
  ids.blockGroup,
])
const videoTrackType = 1
const audioTrackType = 2
// 24 hours of 10 ms packets
const maxElements = 10_000_000
const defaultScaleNs = 1_000_000
const maxValueBytes = 8

const readUint = (bytes: Buffer) => bytes.reduce((sum, byte) => sum * 256 + byte, 0)
const readFloat = (bytes: Buffer) =>
  bytes.length === 4 ? bytes.readFloatBE(0) : bytes.length === 8 ? bytes.readDoubleBE(0) : 0

// RFC 6716, section 3.1: a packet's configuration gives the duration of one frame. A packet has 1, 2 or up to 48
// frames.
const opusFrameMs = [10, 20, 40, 60, 10, 20, 40, 60, 10, 20, 40, 60, 10, 20, 10, 20]
const celtFrameMs = [2.5, 5, 10, 20]
const readOpusPacketMs = (first: number, second: number) => {
  const configuration = first >> 3
  const frameMs = opusFrameMs[configuration] ?? celtFrameMs[configuration & 3] ?? 0
  const code = first & 3
  return frameMs * (code === 0 ? 1 : code === 3 ? second & 0x3f : 2)
}

export const readWebmSound = (file: FileWindow): StatedSound => {
  const tracks: Track[] = []
  let scaleNs = defaultScaleNs
  let stated = 0
  let clusterTime = 0
  let firstMs: number | undefined
  let endMs = 0
  const findSound = () => tracks.find(({ type }) => type === audioTrackType)

  const readBlock = (offset: number) => {
    const sound = findSound()
    // Track number in one byte, time in two, flags in one. Opus does not use lacing.
    const header = file.readHeader(offset, 6)
    if (!sound || (header.readUInt8(0) & 0x7f) !== sound.number) return
    const startMs = ((clusterTime + header.readInt16BE(1)) * scaleNs) / 1e6
    const packetMs =
      sound.codec === 'A_OPUS'
        ? readOpusPacketMs(header.readUInt8(4), header.readUInt8(5))
        : sound.frameNs / 1e6
    firstMs ??= startMs
    endMs = Math.max(endMs, startMs + packetMs)
  }

  const readValue = (id: string, bytes: Buffer) => {
    const track = tracks.at(-1)
    if (id === ids.timestampScale) scaleNs = readUint(bytes) || defaultScaleNs
    else if (id === ids.duration) stated = readFloat(bytes)
    else if (id === ids.timestamp) clusterTime = readUint(bytes)
    else if (!track) return
    else if (id === ids.trackNumber) track.number = readUint(bytes)
    else if (id === ids.trackType) track.type = readUint(bytes)
    else if (id === ids.samplingFrequency) track.sampleRate = readFloat(bytes)
    else if (id === ids.channels) track.channels = readUint(bytes)
    else if (id === ids.defaultDuration) track.frameNs = readUint(bytes)
  }

  const readElements = () => {
    let offset = 0
    for (let count = 0; offset < file.fileSize && count < maxElements; count++) {
      const header = readEbmlHeader(file, offset)
      if (!header) return
      const { id, bodyOffset, size } = header
      // Packet times do not matter if the duration is stated.
      if (id === ids.cluster && stated > 0 && tracks.length > 0) return
      if (id === ids.trackEntry)
        tracks.push({
          number: 0,
          type: 0,
          codec: '',
          sampleRate: 8000,
          channels: 1,
          frameNs: 0,
          isEncrypted: false,
        })
      const track = tracks.at(-1)
      if (id === ids.encryption && track) track.isEncrypted = true
      if (id === ids.codec && track && size !== null)
        track.codec = file.readHeader(bodyOffset, Math.min(size, 32)).toString('latin1')
      if (id === ids.simpleBlock || id === ids.block) readBlock(bodyOffset)
      else if (size !== null && size <= maxValueBytes) readValue(id, file.readHeader(bodyOffset, size))
      offset = containers.has(id) || size === null ? bodyOffset : bodyOffset + size
    }
  }

  readElements()
  const sound = findSound()
  const declaredS = stated > 0 ? (stated * scaleNs) / 1e9 : undefined
  const measuredS = firstMs === undefined ? undefined : (endMs - firstMs) / 1000
  return {
    hasSound: sound !== undefined,
    isEncrypted: sound?.isEncrypted ?? false,
    hasVideo: tracks.some(({ type }) => type === videoTrackType),
    durationS: declaredS ?? measuredS,
    declaredS,
    sampleRate: sound?.sampleRate,
    channels: sound?.channels,
  }
}
