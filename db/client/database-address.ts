const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/is

const writableTargets = ['any', 'read-write', 'primary'] as const

export type SessionTarget = (typeof writableTargets)[number]

const isWritableTarget = (text: string): text is SessionTarget =>
  writableTargets.some((target) => target === text)

const targetParameter = 'target_session_attrs'

/** A URL may name several, as in libpq. Throws if any of them is not a valid URL. */
export const listServerUrls = (databaseUrl: string): readonly [URL, ...URL[]] => {
  const [, start = '', hosts = '', end = ''] = parts.exec(databaseUrl) ?? []
  const [first = '', ...others] = hosts.split(',')
  const urlOf = (host: string) => {
    const url = new URL(start + host + end)
    // Otherwise the driver would send the parameter to the server.
    if (url.searchParams.has(targetParameter)) url.searchParams.delete(targetParameter)
    return url
  }
  if (start === '') return [new URL(databaseUrl)]
  return [urlOf(first), ...others.map(urlOf)]
}

const readTargetParameter = (databaseUrl: string) =>
  new URLSearchParams(databaseUrl.split('?')[1]).get(targetParameter) ?? 'any'

export const readSessionTarget = (databaseUrl: string): SessionTarget => {
  const target = readTargetParameter(databaseUrl)
  return isWritableTarget(target) ? target : 'any'
}

/**
 * Says what is wrong with the URL's `target_session_attrs`; null if nothing is. Values that choose a read-only server
 * are rejected, because the gateway needs one that accepts writes.
 */
export const findTargetError = (databaseUrl: string): string | null =>
  isWritableTarget(readTargetParameter(databaseUrl))
    ? null
    : `must use one of these values for ${targetParameter}: ${writableTargets.join(', ')}`
