/** What a container states about its sound. Anything absent or undefined is unknown. */
export interface StatedSound {
  readonly hasSound: boolean
  readonly isEncrypted?: boolean
  readonly hasVideo?: boolean
  readonly durationS?: number | undefined
  /** The part of the duration that a decoder must find. */
  readonly declaredS?: number | undefined
  readonly sampleRate?: number | undefined
  readonly channels?: number | undefined
  /** Bytes at the start that a decoder would take for sound. */
  readonly skippedBytes?: number
}
