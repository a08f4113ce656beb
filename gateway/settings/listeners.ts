import * as z from 'zod'
import { integerBetween, type Rule, wholeNumber } from './setting-types.ts'

export const defaultAddress = { host: '127.0.0.1', listenPort: 8787 } as const

export const formatListeningUrl = (host: string, boundPort: number | string) =>
  `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`

/** Returns the URL a gateway with these settings will listen on; null if the system chooses the port. */
export const findFixedUrl = ({ HOST, PORT }: Readonly<Record<string, string | undefined>>) =>
  PORT === '0' ? null : formatListeningUrl(HOST || defaultAddress.host, PORT || defaultAddress.listenPort)

const portRange = integerBetween(0, 65_535)

/** If it is 0, the system chooses one. */
const listenPort = (fallback: number) => wholeNumber(fallback).pipe(portRange)

const adminPort = (fallback: number) =>
  z
    .string()
    .regex(/^(?:\d{1,15}|off)$/, { error: 'must be a port or off' })
    .default(String(fallback))
    .transform((text) => (text === 'off' ? null : Number(text)))
    .pipe(portRange.nullable())

const host = z
  .string()
  // A URL cannot contain the zone of an IPv6 address, so the address is checked without it.
  .refine((text) => URL.parse(formatListeningUrl(text.replace(/%\w+$/, ''), 1))?.port === '1', {
    error: 'must be an IP address or a host name',
  })

export const listenerSettings = {
  HOST: host.default(defaultAddress.host),
  PORT: listenPort(defaultAddress.listenPort),
  ADMIN_HOST: host.default('127.0.0.1'),
  ADMIN_PORT: adminPort(8788),
  JOBS_ADMIN_PORT: adminPort(8789),
}

export const listenerRules: readonly Rule<z.infer<z.ZodObject<typeof listenerSettings>>>[] = [
  {
    // Some systems let both listeners bind the same port on different hosts, and clients might then reach the admin
    // pages.
    holds: ({ PORT, ADMIN_PORT }) => PORT === 0 || PORT !== ADMIN_PORT,
    name: 'ADMIN_PORT',
    error: 'must differ from PORT',
    dependsOn: ['PORT', 'ADMIN_PORT'],
  },
]
