/** What a container states about its sound. Anything absent or undefined is unknown. */
export interface StatedSound {
  readonly hasSound: boolean
  readonly isEncrypted?: boolean
  readonly hasVideo?: boolean
  readonly durationS?: number | undefined
  /** How much sound a decoder must find. Gaps, for example, are left out. */
  readonly declaredS?: number | undefined
  readonly sampleRate?: number | undefined
  readonly channels?: number | undefined
  readonly skippedBytes?: number
}
