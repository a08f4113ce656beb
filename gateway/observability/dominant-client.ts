import type { Log } from './log.ts'

/**
 * Creates the warning that one address has over 80 % of a capacity that clients share. It is logged once: behind a load
 * balancer that `TRUSTED_PROXIES` does not list, all clients have its address, and therefore one share.
 */
export const createDominantClientWarning = (log: Pick<Log, 'warn'>) => {
  let isLogged = false
  return () => {
    if (isLogged) return
    isLogged = true
    log.warn(
      { setting: 'TRUSTED_PROXIES' },
      'share of one client address exceeded: list the address if it is a load balancer',
    )
  }
}
