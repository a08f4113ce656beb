import * as z from 'zod'

// A dot-atom of RFC 5322, section 3.2.3 at a domain with a dot; the top-level domain may be an IDN (`xn--`).
const pattern =
  /^(?!\.)(?!.*\.\.)[a-z0-9_.!#$%&'*+/=?^`{|}~-]*[a-z0-9_!#$%&'*+/=?^`{|}~-]@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

// `toLowerCase` would also convert U+212A (KELVIN SIGN) to `k`: two different addresses would become equal.
const foldAscii = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

const FoldedAddress = z.string().overwrite(foldAscii).max(254).pipe(z.email({ pattern }))

/** An e-mail address in lower case, the form that is compared and stored. */
export const Email = z.string().trim().pipe(FoldedAddress)

/** Converts a claim to the form that is compared and stored; null unless it is exactly one e-mail address. */
export const readEmail = (claim: unknown): string | null => FoldedAddress.safeParse(claim).data ?? null
