export interface BannerFacts {
  readonly url: string
  /** A token of the demo account; null where another issuer is configured. */
  readonly token: string | null
  /** What the sandbox stands in for, by name, with its address; of a secret the file that holds it. */
  readonly sandbox: Readonly<Record<string, string | null>>
}

/** What `npm start` prints once everything answers: where it is, what is sandbox, and three requests to try. */
export const formatBanner = ({ url, token, sandbox }: BannerFacts) => {
  const stoodIn = Object.entries(sandbox).filter(([, address]) => address !== null)
  const bearer = token ?? 'YOUR_TOKEN'
  const width = Math.max(0, ...stoodIn.map(([name]) => name.length))
  return [
    '',
    `  Crossfade  ${url}`,
    '',
    ...stoodIn.map(([name, address]) => `  sandbox ${name.padEnd(width)}  ${address}`),
    ...(token === null
      ? []
      : ['', '  A token of the demo account acct_alice, good for 12 hours:', '', token]),
    '',
    '  Served natively, forwarded to the core, and refused:',
    '',
    `curl -i -H 'Authorization: Bearer ${bearer}' ${url}/v1/libraries`,
    '',
    `curl -i -H 'Authorization: Bearer ${bearer}' ${url}/v1/tracks`,
    '',
    `curl -i ${url}/v1/libraries`,
    '',
  ].join('\n')
}
