import { relative } from 'node:path'
import { styleText } from 'node:util'

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

/** For a service manager, CI or a pipe. */
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

type Row = readonly [name: string, text: string]

const nameWidth = 15

const row = (name: string, text: string | null | undefined): readonly Row[] => (text ? [[name, text]] : [])

const formatRows = (rows: readonly Row[]) => rows.map(([name, text]) => `  ${name.padEnd(nameWidth)}${text}`)

const listCommands = ({ url, token }: BannerContent) => {
  const request = `curl -i -H "Authorization: Bearer $TOKEN" ${url}`
  return [
    `  TOKEN=${token === null ? 'YOUR_TOKEN' : '$(npm run -s token)'}`,
    `  ${request}/v1/libraries`,
    `  ${request}/v1/tracks`,
    `  curl -i ${url}/v1/libraries`,
  ]
}

const describeDatabase = (url: string | null | undefined, passwordFile: string) => {
  if (!url) return null
  // Shows where the password is. The password itself would be visible on every shared screen.
  const { host, username } = new URL(url)
  return `${username}@${host}, password in ${passwordFile}`
}

interface TerminalBannerOptions {
  readonly stateDir: string
  readonly startMs: number
  readonly stream?: NodeJS.WritableStream
}

/** For a terminal: at most 24 lines of 80 columns. */
export const formatTerminalBanner = (
  content: BannerContent,
  { stateDir, startMs, stream }: TerminalBannerOptions,
) => {
  const { url, sandbox, consoleUrl, demoPackUrl, adminUrls, ffmpegPath } = content
  const folder = relative(process.cwd(), stateDir)
  const heading = (text: string) => styleText(['bold', 'cyan'], text, { stream })
  const operatorToken = sandbox['operator token'] ? `  (token: ${folder}/operator-token)` : ''
  const store = sandbox['object store']
  const groups = [
    [
      heading('Use it'),
      ...formatRows([
        ...row('Start here', url),
        ...row('Docs', `${url}/docs`),
        ...row('Tour', 'docs/tour.md'),
      ]),
      '  In another terminal: one native request, one forwarded, one rejected with 401',
      ...listCommands(content),
    ],
    [
      heading('Look at it'),
      ...formatRows([
        ...row('Console', consoleUrl && `${consoleUrl}${operatorToken}`),
        ...row('Demo tracks', demoPackUrl),
        ...row('E-mail outbox', sandbox['e-mail outbox']),
        ...row('Billing', sandbox['billing provider']),
      ]),
    ],
    [
      heading('Inside'),
      ...formatRows([
        ...row('Core', sandbox.core && (store ? `${sandbox.core}, object store ${store}` : sandbox.core)),
        ...row('PostgreSQL', describeDatabase(sandbox.database, `${folder}/postgres/password`)),
        ...row('Metrics', adminUrls.gateway && `${adminUrls.gateway}/metrics`),
        ...row('Logs', `${folder}/logs, or here with npm start -- --logs`),
        ...row('Waveforms', ffmpegPath ? null : 'WAV and AIFF only: ffmpeg or prlimit was not found'),
      ]),
    ],
  ]
  const ready = styleText('bold', `Ready in ${(startMs / 1000).toFixed(1)} s. Press Ctrl-C to stop.`, {
    stream,
  })
  // A group has nothing to show if the user provides all its parts.
  const shown = groups.filter((lines) => lines.length > 1).map((lines) => lines.join('\n'))
  return `\n${shown.join('\n\n')}\n${ready}`
}
