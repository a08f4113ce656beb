export interface BannerContent {
  readonly url: string
  /** The demo account's token; null if `AUTH_JWKS_URL` is set, because the sandbox then issues no tokens. */
  readonly token: string | null
  /**
   * What the sandbox provides, by name: the address of a service, or the path of the file that holds a secret. Null for
   * a part that was not started.
   */
  readonly sandbox: Readonly<Record<string, string | null>>
  /** The page that plays the demo tracks; null if the tracks have no sound. */
  readonly demoPackUrl: string | null
  readonly consoleUrl: string | null
  readonly adminUrls: Readonly<Record<string, string | null>>
  readonly ffmpegPath: string | null
}

const describeFfmpeg = (path: string | null) =>
  path === null
    ? 'ffmpeg or prlimit was not found, so only WAV and AIFF files get a waveform. Others play without one.'
    : `ffmpeg was found at ${path}, so files of all audio formats get a waveform.`

export const formatBanner = (content: BannerContent) => {
  const { url, token, sandbox, demoPackUrl, consoleUrl, adminUrls, ffmpegPath } = content
  const listAddresses = (addresses: BannerContent['sandbox'], prefix: string) =>
    Object.entries(addresses).flatMap(([name, address]) =>
      address === null ? [] : [[`${prefix} ${name}`, address] as const],
    )
  const started = [
    ...(consoleUrl === null ? [] : [['console', consoleUrl] as const]),
    ...listAddresses(adminUrls, 'admin'),
    ...listAddresses(sandbox, 'sandbox'),
  ]
  const bearer = token ?? 'YOUR_TOKEN'
  const width = Math.max(0, ...started.map(([name]) => name.length))
  return [
    '',
    `  Crossfade  ${url}`,
    '',
    ...started.map(([name, address]) => `  ${name.padEnd(width)}  ${address}`),
    '',
    `  ${describeFfmpeg(ffmpegPath)}`,
    ...(demoPackUrl === null ? [] : ['', `  Listen to the demo tracks: ${demoPackUrl}`]),
    ...(token === null ? [] : ['', '  Token of the demo account acct_alice, valid for 12 hours:', '', token]),
    '',
    '  Try a native request, a forwarded request and one that is rejected with 401:',
    '',
    `curl -i -H 'Authorization: Bearer ${bearer}' ${url}/v1/libraries`,
    '',
    `curl -i -H 'Authorization: Bearer ${bearer}' ${url}/v1/tracks`,
    '',
    `curl -i ${url}/v1/libraries`,
    '',
  ].join('\n')
}
