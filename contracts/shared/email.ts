import * as z from 'zod'

// A dot-atom (RFC 5322, section 3.2.3) at a domain that contains a dot. The top-level domain may be an IDN (`xn--`).
const pattern =
  /^(?!\.)(?!.*\.\.)[a-z0-9_.!#$%&'*+/=?^`{|}~-]*[a-z0-9_!#$%&'*+/=?^`{|}~-]@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

// `toLowerCase` would also turn U+212A (KELVIN SIGN) into `k` and make two different addresses equal.
const foldAscii = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

const FoldedAddress = z.string().overwrite(foldAscii).max(254).pipe(z.email({ pattern }))

export const Email = z.string().trim().pipe(FoldedAddress)

export const readEmail = (claim: unknown): string | null => FoldedAddress.safeParse(claim).data ?? null
