import { errorTable } from '#contracts/errors.ts'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'

const isErrorCode = (code: string): code is keyof typeof errorTable => Object.hasOwn(errorTable, code)

const successOf = (label: Label) => Number(Object.keys(contracts[label].responses)[0])

/**
 * The status of the core in the responses that differ, as far as the difference shows it: its status, an error code, or a
 * header of one error. All other differences are those of a success.
 */
export const findExpectedStatus = (label: Label, path: string, core: string | null): number => {
  if (path === 'status') return /^\d{3}$/.test(core ?? '') ? Number(core) : successOf(label)
  if (path === 'headers.www-authenticate') return 401
  const [, code = ''] = /^"([a-z_]+)"$/.exec(core ?? '') ?? []
  return path === 'body.error' && isErrorCode(code) ? errorTable[code][0][0] : successOf(label)
}
