import { audioFormats } from '#contracts/shared/audio-formats.ts'
import type { AudioDescription } from './audio-analysis.ts'
import type { ChunkedSound } from './chunked-file.ts'

// ffmpeg may use only these codecs, so it opens no video or images.
const codecs = [
  'aac,alac,flac,libopus,libvorbis,mp3,mp3float,opus,vorbis',
  'ac3,eac3,adpcm_ima_qt,adpcm_ima_wav,adpcm_ms,adpcm_yamaha,gsm,gsm_ms,mp2,mp2float,speex,libspeex',
  'pcm_alaw,pcm_mulaw,pcm_u8,pcm_s8,pcm_s16be,pcm_s16le,pcm_s24be,pcm_s24le,pcm_s32be,pcm_s32le',
  'pcm_f32be,pcm_f32le,pcm_f64be,pcm_f64le',
].join()

// The samples arrive on stdin. Compressed ones have a header; uncompressed ones are described by the arguments.
const readStdin = ({ format: { pcm, sampleRate, channels, codec } }: ChunkedSound) => {
  if (!pcm)
    return [
      '-f',
      typeof codec === 'number' ? audioFormats.wav.demuxer : audioFormats.aiff.demuxer,
      '-i',
      'pipe:0',
    ]
  return ['-f', pcm, '-ar', String(Math.round(sampleRate)), '-ac', String(channels), '-i', 'pipe:0']
}

const readFile = (path: string, { family, skippedBytes }: AudioDescription) => [
  ...(skippedBytes > 0 ? ['-skip_initial_bytes', String(skippedBytes)] : []),
  ...['-f', audioFormats[family].demuxer, '-i', `file:${path}`],
]

/** Returns ffmpeg's arguments for decoding a file's first audio stream to an AU stream of 32-bit floats. */
export const createFfmpegArguments = (path: string, audio: AudioDescription) => [
  ...['-nostdin', '-hide_banner', '-loglevel', 'error'],
  ...['-protocol_whitelist', audio.sound ? 'pipe' : 'file', '-codec_whitelist', codecs, '-threads', '1'],
  ...(audio.sound ? readStdin(audio.sound) : readFile(path, audio)),
  ...['-map', '0:a:0', '-vn', '-sn', '-dn', '-map_metadata', '-1', '-map_chapters', '-1'],
  ...['-threads', '1', '-filter_threads', '1', '-c:a', 'pcm_f32be', '-f', 'au', 'pipe:1'],
]
