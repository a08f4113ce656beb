interface AudioFormat {
  /**
   * Media types an upload may declare, on native and on the core. The first is stored if the upload declared a type of
   * a different format.
   */
  readonly types: readonly string[]
  /** Other names that browsers use for the first type. Only native accepts them. */
  readonly aliases?: readonly string[]
  /** Other formats whose types are accepted for this one, because a container may be named after the audio in it. */
  readonly alsoDeclaredAs?: readonly string[]
  /**
   * The extensions that the package `file-type` reports for this format. Separated stems get the first. Absent if
   * `jobs/analysis/media-family.ts` detects the format.
   */
  readonly detectedExtensions?: readonly string[]
  /**
   * Whether the file stores its samples in chunks. Such samples are almost always uncompressed, so their length gives
   * the duration.
   */
  readonly isChunked?: boolean
  /** Left to guess, ffmpeg might read the file as a playlist and open the files that it names. */
  readonly demuxer: string
}

/** The client package has its own list, because it imports nothing from outside the package. */
export const audioFormats = {
  mp3: { types: ['audio/mpeg', 'audio/mp3'], detectedExtensions: ['mp3'], demuxer: 'mp3' },
  wav: {
    types: ['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave'],
    isChunked: true,
    demuxer: 'wav',
  },
  flac: { types: ['audio/flac', 'audio/x-flac'], detectedExtensions: ['flac'], demuxer: 'flac' },
  aiff: {
    types: ['audio/aiff', 'audio/x-aiff'],
    aliases: ['audio/x-aifc'],
    isChunked: true,
    demuxer: 'aiff',
  },
  mp4: {
    types: ['audio/mp4', 'audio/x-m4a'],
    aliases: ['audio/m4a', 'audio/x-m4b', 'video/mp4'],
    alsoDeclaredAs: ['aac'],
    detectedExtensions: ['m4a', 'm4b', 'mp4', 'mov', '3gp'],
    demuxer: 'mov',
  },
  aac: { types: ['audio/aac'], detectedExtensions: ['aac'], demuxer: 'aac' },
  ogg: { types: ['audio/ogg', 'audio/opus'], alsoDeclaredAs: ['flac'], demuxer: 'ogg' },
  webm: {
    types: ['audio/webm'],
    aliases: ['video/webm'],
    detectedExtensions: ['webm', 'mkv'],
    demuxer: 'matroska',
  },
} as const satisfies Readonly<Record<string, AudioFormat>>

export type MediaFamily = keyof typeof audioFormats

export const mediaFamilies = Object.keys(audioFormats) as readonly MediaFamily[]

export const audioFormatOf = (family: MediaFamily): AudioFormat => audioFormats[family]
