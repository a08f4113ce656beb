import satisfies from 'spdx-satisfies'

/**
 * The licences that packages in production may have, as SPDX identifiers. None obliges the operator to publish code.
 */
const allowedLicenses = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
]

/** Packages that contain a compiled library whose licence is missing from their own `license` field. */
const compiledLicenses: Readonly<Record<string, string>> = { 'mpg123-decoder': 'LGPL-2.1-only' }

interface LockedPackage {
  readonly dev?: boolean
  /** True for a link to a package of this repository. */
  readonly link?: boolean
  readonly license?: string
}

const isAllowed = (expression: string) => {
  try {
    return satisfies(expression, allowedLicenses)
  } catch {
    // Not an SPDX expression: for example, `SEE LICENSE IN LICENSE.txt`.
    return false
  }
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/**
 * Lists production packages with a licence that is not allowed. If licences are alternatives (`OR`), one must be
 * allowed; if they are combined (`AND`), all must be. The packages of this repository are exempt.
 */
export const findForbiddenPackages = (packages: Readonly<Record<string, LockedPackage>>) =>
  Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
    .map(([path, { license = 'no licence' }]) => [nameOf(path), license] as const)
    .filter(([name, license]) => !isAllowed(license) || name in compiledLicenses)
    .map(([name, license]) => `${name}: ${compiledLicenses[name] ?? license}`)
