import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { ChoiceField, LongTextField, TextField } from '../../../src/web/parts/form.tsx';

describe('TextField', () => {
  it('ties its label, its hint and what was wrong to the field', () => {
    const html = renderToString(
      TextField({
        name: 'name',
        label: 'Name',
        hint: 'small letters',
        fault: 'too long',
        value: '"x"',
        isRequired: true,
      }),
    );
    expect(html).toContain('<label for="f-name">Name</label>');
    expect(html).toContain('id="h-name"');
    expect(html).toContain('id="e-name"');
    expect(html).toContain('aria-describedby="h-name e-name"');
    expect(html).toContain('aria-invalid="true"');
    expect(html).toContain('value="&quot;x&quot;"');
    expect(html).toContain(' required');
  });

  it('says nothing of faults that there are not', () => {
    const html = renderToString(TextField({ name: 'name', label: 'Name' }));
    expect(html).not.toMatch(/aria-describedby|aria-invalid|required/);
  });
});

describe('LongTextField', () => {
  it('keeps what was written, escaped', () => {
    expect(renderToString(LongTextField({ name: 'why', label: 'Why', value: '</textarea><b>' }))).toContain(
      '>&lt;/textarea>&lt;b></textarea>',
    );
  });
});

describe('ChoiceField', () => {
  it('has chosen what was chosen', () => {
    const choices = [
      { value: 'a', label: 'A' },
      { value: 'b', label: 'B' },
    ];
    const html = renderToString(ChoiceField({ name: 'x', label: 'X', choices, value: 'b' }));
    expect(html).toContain('<option value="a">A</option><option value="b" selected>B</option>');
  });
});
