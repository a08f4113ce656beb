// Optimized: see "GET of a share link by its token" in bench/results/sharing.md.
import { hash } from 'node:crypto'

/** The stored form of a token: its SHA-256 in hexadecimal. 256 random bits need neither salt nor a slow hash. */
export const hashToken = (token: string) => hash('sha256', token, 'hex')
