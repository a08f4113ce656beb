// Optimized: see "GET of a share link by its token" in bench/results/sharing.md.
import { hash } from 'node:crypto'

/** What is kept of a token: its SHA-256 in hexadecimal. 256 random bits need no salt and no slow hash. */
export const hashToken = (token: string) => hash('sha256', token, 'hex')
