/** What a container states about its sound. Absent or undefined values are unknown. */
export interface StatedSound {
  readonly hasSound: boolean
  readonly isEncrypted?: boolean
  readonly hasVideo?: boolean
  readonly durationS?: number | undefined
  /** The part of the duration that a decoder must find. */
  readonly declaredS?: number | undefined
  readonly sampleRate?: number | undefined
  readonly channels?: number | undefined
  /** The bytes at the start of the file that a decoder would take for sound. */
  readonly skippedBytes?: number
}
