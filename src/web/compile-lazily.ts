import ajv from '@fastify/ajv-compiler';
import stringifier from '@fastify/fast-json-stringify-compiler';

const buildCheck = ajv();
const buildWriter = stringifier();

/**
 * What fastify compiles the schemas of the API with, each when it is first used. All of them at once take 150 ms of every
 * start, also of one whose API nobody asks.
 */
export const COMPILE_LAZILY = {
  buildValidator: (...given: Parameters<typeof buildCheck>) => {
    const compile = buildCheck(...given);
    return (route: Parameters<typeof compile>[0]) => {
      let made: ReturnType<typeof compile> | undefined;
      const check = (value: unknown) => {
        made ??= compile(route);
        const isValid = made(value);
        check.errors = made.errors;
        return isValid;
      };
      check.errors = null as ReturnType<typeof compile>['errors'];
      // Fastify calls it and reads `errors`; what else belongs to a check of ajv it does not look at.
      return check as unknown as ReturnType<typeof compile>;
    };
  },
  buildSerializer: (...given: Parameters<typeof buildWriter>) => {
    const compile = buildWriter(...given);
    return (route: Parameters<typeof compile>[0]) => {
      let made: ReturnType<typeof compile> | undefined;
      return (value: unknown) => (made ??= compile(route))(value);
    };
  },
};
