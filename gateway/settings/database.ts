import * as z from 'zod'
import { findTargetError, listServerUrls } from '#db/client/database-address.ts'
import { findTlsParameterError, requiresDatabaseCa } from '#db/client/database-tls.ts'
import { asSecret } from './describe-value.ts'
import { certificates, integerBetween, onOrOff, type Rule, succeeds, wholeNumber } from './setting-types.ts'

/** As in libpq, it may have several hosts. */
const databaseUrl = asSecret(
  z
    .string()
    .refine(
      (url) =>
        /^postgres(ql)?:\/\//.test(url) &&
        succeeds(() => listServerUrls(url)) &&
        succeeds(() => decodeURIComponent(url)),
      { error: 'must be a PostgreSQL URL with a URL-encoded user and password', abort: true },
    )
    .superRefine((url, context) => {
      for (const error of [findTlsParameterError(url), findTargetError(url)])
        if (error !== null) context.addIssue(error)
    }),
)

export const databaseSettings = {
  DATABASE_URL: databaseUrl,
  DATABASE_DIRECT_URL: databaseUrl.optional(),
  SHADOW_DATABASE_URL: databaseUrl.optional(),
  DATABASE_CA: certificates.optional(),
  MIGRATE_ON_START: onOrOff('on'),
  DATABASE_POOL_SIZE: wholeNumber(10).pipe(integerBetween(2, 1000)),
  DATABASE_PREPARE: onOrOff('on'),
}

type DatabaseVariables = Pick<
  z.infer<z.ZodObject<typeof databaseSettings>>,
  'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'SHADOW_DATABASE_URL' | 'DATABASE_CA'
>

export const databaseRules: readonly Rule<DatabaseVariables>[] = [
  {
    holds: ({
      DATABASE_URL: url,
      DATABASE_DIRECT_URL: directUrl = url,
      SHADOW_DATABASE_URL: shadowUrl = url,
      DATABASE_CA,
    }) => DATABASE_CA !== undefined || ![url, directUrl, shadowUrl].some(requiresDatabaseCa),
    name: 'DATABASE_CA',
    error: 'is missing: it is required for sslmode=verify-ca',
    dependsOn: ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'SHADOW_DATABASE_URL', 'DATABASE_CA'],
  },
]
