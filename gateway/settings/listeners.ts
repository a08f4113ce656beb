import * as z from 'zod'
import { integerBetween, wholeNumber } from './setting-types.ts'

/** The default listening address. */
export const defaultAddress = { host: '127.0.0.1', listenPort: 8787 } as const

export const formatListeningUrl = (host: string, boundPort: number | string) =>
  `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`

/** Returns the URL at which a gateway with these settings will listen; null if the system chooses the port. */
export const findFixedUrl = ({ HOST, PORT }: Readonly<Record<string, string | undefined>>) =>
  PORT === '0' ? null : formatListeningUrl(HOST || defaultAddress.host, PORT || defaultAddress.listenPort)

const portRange = integerBetween(0, 65_535)

/** The port of a listener; the system chooses one for 0. */
export const listenPort = (fallback: number) => wholeNumber(fallback).pipe(portRange)

/** The port of an admin listener, or null for `off`, which turns it off. */
export const adminPort = (fallback: number) =>
  z
    .string()
    .regex(/^(?:\d{1,15}|off)$/, { error: 'must be a port or off' })
    .default(String(fallback))
    .transform((text) => (text === 'off' ? null : Number(text)))
    .pipe(portRange.nullable())

export const host = z
  .string()
  // A URL cannot contain the zone of an IPv6 address.
  .refine((text) => URL.parse(formatListeningUrl(text.replace(/%\w+$/, ''), 1))?.port === '1', {
    error: 'must be an IP address or a host name',
  })
