const mebibyte = 1024 * 1024

export const defaultLimits = {
  audioBytes: 1024 * mebibyte,
  artworkBytes: 20 * mebibyte,
  documentBytes: 50 * mebibyte,
  uploadSeconds: 900,
  playbackSeconds: 3600,
  downloadSeconds: 900,
}

export type MediaLimits = Readonly<typeof defaultLimits>

export const secondsFromNow = (seconds: number) => new Date(Date.now() + seconds * 1000)
