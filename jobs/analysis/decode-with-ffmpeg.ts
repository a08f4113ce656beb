import { platform } from 'node:process'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { audioFormats } from '#contracts/shared/audio-formats.ts'
import { startChild } from '#shared/processes/child-process.ts'
import { RetryLaterError } from '../retry-later-error.ts'
import { LimitExceededError, type ProcessLimits } from './analysis-limits.ts'
import type { AudioDescription } from './audio-analysis.ts'
import type { ChunkedSound } from './chunked-file.ts'
import { decodePcm, readAsFile } from './decode.ts'
import { createLimitedCommand, type Ffmpeg } from './find-ffmpeg.ts'
import { type AudioBlock, type DecodedAudio, maxChannels, measureBlocks } from './measure-blocks.ts'
import { isCrash, superviseProcess } from './supervise-process.ts'

// The header of an AU stream, in which ffmpeg returns the samples: magic number, offset of the samples, their size in
// bytes, encoding, sample rate, channels
const headerBytes = 24
const magic = 0x2e73_6e64
const float32Encoding = 6
const maxOffset = 65_536
const sampleBytes = 4

interface AuHeader {
  readonly offset: number
  readonly sampleRate: number
  readonly channels: number
}

const readHeader = (bytes: Buffer): AuHeader => {
  const [offset, encoding] = [bytes.readUInt32BE(4), bytes.readUInt32BE(12)]
  if (bytes.readUInt32BE(0) !== magic || encoding !== float32Encoding || offset > maxOffset)
    throw new Error('the stream is not an AU stream of 32-bit floats')
  const channels = bytes.readUInt32BE(20)
  if (channels < 1 || channels > maxChannels) throw new Error('unsupported number of channels')
  return { offset, sampleRate: bytes.readUInt32BE(16), channels }
}

async function* readAuBlocks(stream: AsyncIterable<Buffer>): AsyncGenerator<AudioBlock> {
  let header: AuHeader | undefined
  let pending: Buffer = Buffer.alloc(0)
  for await (const chunk of stream) {
    const bytes: Buffer = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk
    pending = bytes
    if (!header) {
      if (bytes.length < headerBytes) continue
      const { offset } = readHeader(bytes)
      if (bytes.length < offset) continue
      header = readHeader(bytes)
      pending = bytes.subarray(offset)
    }
    const { sampleRate, channels } = header
    const frameBytes = channels * sampleBytes
    const wholeBytes = pending.length - (pending.length % frameBytes)
    yield {
      channelData: decodePcm(pending.subarray(0, wholeBytes), 'f32be', channels, frameBytes),
      sampleRate,
    }
    pending = pending.subarray(wholeBytes)
  }
}

// ffmpeg may use only these codecs, so it opens no video or images.
const codecs = [
  'aac,alac,flac,libopus,libvorbis,mp3,mp3float,opus,vorbis',
  'ac3,eac3,adpcm_ima_qt,adpcm_ima_wav,adpcm_ms,adpcm_yamaha,gsm,gsm_ms,mp2,mp2float,speex,libspeex',
  'pcm_alaw,pcm_mulaw,pcm_u8,pcm_s8,pcm_s16be,pcm_s16le,pcm_s24be,pcm_s24le,pcm_s32be,pcm_s32le',
  'pcm_f32be,pcm_f32le,pcm_f64be,pcm_f64le',
].join()

// The samples arrive on stdin. Compressed ones have a header; uncompressed ones are described by the arguments.
const readFromStdin = ({ format: { pcm, sampleRate, channels, codec } }: ChunkedSound) => {
  if (!pcm)
    return [
      '-f',
      typeof codec === 'number' ? audioFormats.wav.demuxer : audioFormats.aiff.demuxer,
      '-i',
      'pipe:0',
    ]
  return ['-f', pcm, '-ar', String(Math.round(sampleRate)), '-ac', String(channels), '-i', 'pipe:0']
}

const readFromFile = (path: string, { family, skippedBytes }: AudioDescription) => [
  ...(skippedBytes > 0 ? ['-skip_initial_bytes', String(skippedBytes)] : []),
  ...['-f', audioFormats[family].demuxer, '-i', `file:${path}`],
]

const createFfmpegArguments = (path: string, audio: AudioDescription) => [
  ...['-nostdin', '-hide_banner', '-loglevel', 'error'],
  ...['-protocol_whitelist', audio.sound ? 'pipe' : 'file', '-codec_whitelist', codecs, '-threads', '1'],
  ...(audio.sound ? readFromStdin(audio.sound) : readFromFile(path, audio)),
  ...['-map', '0:a:0', '-vn', '-sn', '-dn', '-map_metadata', '-1', '-map_chapters', '-1'],
  ...['-threads', '1', '-filter_threads', '1', '-c:a', 'pcm_f32be', '-f', 'au', 'pipe:1'],
]

const createFfmpegError = (message: string) => new RetryLaterError('analyser_unavailable', message)

const keptErrorBytes = 16_384

// Keeps only the start, but reads to the end, because a full pipe would block ffmpeg.
const keepStart = (stream: Readable) => {
  let text = ''
  stream.setEncoding('latin1').on('data', (chunk: string) => {
    if (text.length < keptErrorBytes) text += chunk.slice(0, keptErrorBytes - text.length)
  })
  return () => text
}

const startFfmpeg = (path: string, audio: AudioDescription, ffmpeg: Ffmpeg, limits: ProcessLimits) => {
  const command = createLimitedCommand(ffmpeg, createFfmpegArguments(path, audio), limits)
  return startChild({
    ...command,
    cwd: '/',
    stdio: [audio.sound ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    // Like the analysis process, ffmpeg must not receive Ctrl-C.
    detached: platform !== 'win32',
  })
}

// Returns the error if the file could not be read. To ffmpeg, a failed read looks like the end of the sound.
const writeSamples = async (path: string, sound: ChunkedSound, stdin: Writable) => {
  let readError: unknown = null
  async function* read() {
    try {
      yield* readAsFile(path, sound)
    } catch (error) {
      readError = error
      throw error
    }
  }
  // ffmpeg stops reading once it has failed, so the write may fail too.
  await pipeline(read, stdin).catch(() => undefined)
  return readError
}

const isOutOfMemory = (errors: string) => /cannot allocate memory|failed to map segment/i.test(errors)
const isUnsupported = (errors: string) =>
  /decoder .* not found|not on whitelist|not implemented|unsupported/i.test(errors)
const hasNoSound = (errors: string) => /matches no streams/i.test(errors)

// Only system errors. `Input/output error` is left out, because demuxers also report it for invalid files.
const isUnreadable = (errors: string) =>
  /error opening input.*(no such file|permission denied|too many open files)/i.test(errors)

// prlimit and the dynamic linker exit with these codes if a program cannot start.
const isStartFailure = (code: number | null) => code === 126 || code === 127

export const decodeWithFfmpeg = async (
  path: string,
  audio: AudioDescription,
  ffmpeg: Ffmpeg,
  limits: ProcessLimits,
  signal: AbortSignal,
): Promise<DecodedAudio> => {
  signal.throwIfAborted()
  const child = startFfmpeg(path, audio, ffmpeg, limits)
  const supervised = superviseProcess(child, limits, signal)
  try {
    const { stdin, stdout, stderr } = child.process ?? {}
    // If no file descriptors are left, Node creates no pipes.
    if (!stdout || !stderr) throw createFfmpegError('ffmpeg could not be started')
    const readErrors = keepStart(stderr)
    const writing = audio.sound && stdin ? writeSamples(path, audio.sound, stdin) : null
    const decoded = await measureBlocks(readAuBlocks(stdout), audio.fileSize)
    // The output was not read to the end, so ffmpeg's exit code says nothing about the file.
    if (decoded === 'too long' || decoded === 'undecodable') return decoded
    const { code, signal: reason, limit } = await supervised.waitForExit()
    const readError = await writing
    if (readError) throw readError
    const errors = readErrors()
    if (limit || (code !== 0 && isOutOfMemory(errors)))
      throw new LimitExceededError(`ffmpeg exceeded its ${limit ?? 'memory'} limit`)
    if (code === 0) return decoded
    signal.throwIfAborted()
    // A crash is not retried, because the decoder would crash on every attempt.
    if (isStartFailure(code) || (reason !== null && !isCrash(reason)) || isUnreadable(errors))
      throw createFfmpegError(`ffmpeg exited with ${reason ?? code}`)
    if (decoded === 'empty' && hasNoSound(errors)) return 'empty'
    return decoded === 'empty' && isUnsupported(errors) ? 'undecodable' : 'corrupt'
  } finally {
    await supervised.close()
  }
}
