/// The rows about segments: the patterns after an `@`, then paths, their expected matches, and the purpose of each row.
extension RouteMatchTableTests {
    static let segmentTable = ##"""
        # Literals
        @ /  /notes  /notes/new  /notes/new/draft
        / -> / ; the root is a path without segments
        /notes -> /notes ; a literal matches itself
        /notes/new -> /notes/new ; two literals
        /notes/new/draft -> /notes/new/draft ; three literals
        /note -> !routeNotFound ; a literal is no prefix of a segment
        /notess -> !routeNotFound ; a longer segment is another segment
        /notes/ne -> !routeNotFound ; the last segment must be whole
        /notes/new/draft/x -> !routeNotFound ; a path that goes on past the tree
        /notes/draft -> !routeNotFound ; a literal only below its parent
        /new -> !routeNotFound ; a deeper literal is not found at the top
        /Notes -> !routeNotFound ; literals are case-sensitive by default
        //notes -> !routeNotFound ; an empty first segment is a segment
        /notes//new -> !routeNotFound ; an empty middle segment is a segment
        // -> !routeNotFound ; two slashes are not the root
        /notes/./new -> !routeNotFound ; a dot segment is literal
        /notes/../notes -> !routeNotFound ; a double dot is literal
        /notes/new\draft -> !routeNotFound ; a backslash is no separator
        /notes;v=1 -> !routeNotFound ; a semicolon does not end a segment
        @ /a  /ab  /abc  /abcdefg  /abcdefgh  /abcdefghi  /abcdefghabcdefgh  /abcdefghabcdefghi  /abcdefghabcdefghj
        /a -> /a ; one byte
        /ab -> /ab ; two bytes
        /abc -> /abc ; three bytes
        /abcdefg -> /abcdefg ; seven bytes, one short of a word
        /abcdefgh -> /abcdefgh ; eight bytes, one word
        /abcdefghi -> /abcdefghi ; nine bytes, over one word
        /abcdefghabcdefgh -> /abcdefghabcdefgh ; two words
        /abcdefghabcdefghi -> /abcdefghabcdefghi ; over two words
        /abcdefghabcdefghj -> /abcdefghabcdefghj ; a byte after two words differs
        /abcdefghabcdefghk -> !routeNotFound ; a byte after two words is unknown
        /abcd -> !routeNotFound ; four bytes that are a prefix of longer texts
        /abcdefgX -> !routeNotFound ; the last byte of a word differs
        /Xbcdefgh -> !routeNotFound ; the first byte of a word differs
        /abcdefghX -> !routeNotFound ; the byte after a word differs
        /abcdefghabcdefgX -> !routeNotFound ; the second word differs
        /abcdefghXbcdefghi -> !routeNotFound ; a middle byte of a long text differs
        @ /café  /日本/語  /🎈
        /café -> /café ; literals beyond ASCII, written raw
        /caf%C3%A9 -> /café ; the same, written encoded
        /日本/語 -> /日本/語 ; three-byte characters
        /%E6%97%A5本/%E8%AA%9E -> /日本/語 ; half encoded
        /🎈 -> /🎈 ; a four-byte character
        /cafe%CC%81 -> !routeNotFound ; another normal form is another text
        /日 -> !routeNotFound ; one character of two
        @ /it's  /wow!/x  /a!b'c
        /it's -> /it's ; an apostrophe is plain text
        /wow!/x -> /wow!/x ; an exclamation mark is plain text
        /a!b'c -> /a!b'c ; both in one word

        # Plain parameters
        @ /notes/:id
        /notes/5 -> /notes/:id id=5 ; a parameter takes a segment
        /notes/new -> /notes/:id id=new ; any text
        /notes/a.b-c~d_e -> /notes/:id id=a.b-c~d_e ; unreserved characters
        /notes/a:b@c!$&'()*+,;= -> /notes/:id id=a:b@c!$&'()*+,;= ; every other character of a segment
        /notes/ünï -> /notes/:id id=ünï ; characters beyond ASCII
        /notes/.. -> /notes/:id id=.. ; dots are a value like any other
        /notes/:id -> /notes/:id id=:id ; the pattern's own text is a value
        /notes/*rest -> /notes/:id id=*rest ; a star is a value
        /notes/{x} -> /notes/:id id={x} ; braces are a value
        /notes/a\b -> /notes/:id id=a\b ; a backslash is a value
        /notes/ -> !routeNotFound ; a parameter is never empty
        /notes// -> !routeNotFound ; not even between slashes
        /notes -> !routeNotFound ; and never absent
        /notes/5/6 -> !routeNotFound ; and never two segments
        /notes//5 -> !routeNotFound ; an empty segment does not stand aside
        /x/notes/5 -> !routeNotFound ; matching begins at the beginning
        /NOTES/5 -> !routeNotFound ; literals beside a parameter keep their case
        /notes/5/ -> /notes/:id id=5 ; one trailing slash is ignored
        /notes/5// -> !routeNotFound ; two are not
        @ /:a/:b/:c/:d/:e/:f
        /1/2/3/4/5/6 -> /:a/:b/:c/:d/:e/:f a=1, b=2, c=3, d=4, e=5, f=6 ; more values than are held inline
        /1/2/3/4/5 -> !routeNotFound ; one too few
        /1/2/3/4/5/6/7 -> !routeNotFound ; one too many
        @ /:naïve/:x1_Y
        /p/q -> /:naïve/:x1_Y naïve=p, x1_Y=q ; names of letters beyond ASCII, digits and underscores
        @ /:0
        /p -> /:0 0=p ; a name may be a digit

        # Types
        @ /b/:v(bool)
        /b/true -> /b/:v(bool) v=true ; bool true
        /b/false -> /b/:v(bool) v=false ; bool false
        /b/True -> !routeNotFound ; bool is case-sensitive
        /b/1 -> !routeNotFound ; a digit is no bool
        /b/yes -> !routeNotFound ; yes is no bool
        /b/truefalse -> !routeNotFound ; a long text is no bool
        @ /u/:v(uint)
        /u/0 -> /u/:v(uint) v=0 ; uint zero
        /u/007 -> /u/:v(uint) v=007 ; uint keeps leading zeros in its text
        /u/18446744073709551615 -> /u/:v(uint) v=18446744073709551615 ; the largest uint
        /u/18446744073709551616 -> !routeNotFound ; one above the largest uint
        /u/99999999999999999999999 -> !routeNotFound ; far above the largest uint
        /u/-1 -> !routeNotFound ; a sign is no uint
        /u/+1 -> !routeNotFound ; a plus is no uint
        /u/1.0 -> !routeNotFound ; a fraction is no uint
        /u/12abc -> !routeNotFound ; 12abc is not 12
        /u/0x10 -> !routeNotFound ; hexadecimal is no uint
        /u/٣ -> !routeNotFound ; digits of other scripts are no uint
        @ /i/:v(int)
        /i/0 -> /i/:v(int) v=0 ; int zero
        /i/-0 -> /i/:v(int) v=-0 ; int minus zero
        /i/-42 -> /i/:v(int) v=-42 ; a negative int
        /i/9223372036854775807 -> /i/:v(int) v=9223372036854775807 ; the largest int
        /i/9223372036854775808 -> !routeNotFound ; one above the largest int
        /i/-9223372036854775808 -> /i/:v(int) v=-9223372036854775808 ; the smallest int
        /i/-9223372036854775809 -> !routeNotFound ; one below the smallest int
        /i/- -> !routeNotFound ; a sign alone is no int
        /i/--1 -> !routeNotFound ; two signs are no int
        /i/+1 -> !routeNotFound ; a plus is no int
        /i/1e3 -> !routeNotFound ; an exponent is no int
        /i/%31%32 -> /i/:v(int) v=12 ; types look at the decoded value
        /i/1%20 -> !routeNotFound ; a decoded space is no digit
        @ /d/:v(double)
        /d/1 -> /d/:v(double) v=1 ; a whole number is a double
        /d/-1.5 -> /d/:v(double) v=-1.5 ; a negative fraction
        /d/1.5e3 -> /d/:v(double) v=1.5e3 ; an exponent
        /d/1E-3 -> /d/:v(double) v=1E-3 ; a capital E and a negative exponent
        /d/1e+3 -> /d/:v(double) v=1e+3 ; a positive exponent
        /d/1e308 -> /d/:v(double) v=1e308 ; near the largest double
        /d/1e309 -> !routeNotFound ; infinite doubles are refused
        /d/1e-400 -> /d/:v(double) v=1e-400 ; a double that underflows is finite
        /d/nan -> !routeNotFound ; nan is no double
        /d/inf -> !routeNotFound ; inf is no double
        /d/.5 -> !routeNotFound ; a double begins with a digit
        /d/5. -> !routeNotFound ; a double does not end with a point
        /d/1e -> !routeNotFound ; an exponent needs digits
        /d/1.2.3 -> !routeNotFound ; two points
        /d/0x1p3 -> !routeNotFound ; hexadecimal is no double
        /d/1,5 -> !routeNotFound ; a comma is no point
        @ /g/:v(uuid)
        /g/123e4567-e89b-12d3-a456-426614174000 -> /g/:v(uuid) v=123e4567-e89b-12d3-a456-426614174000 ; a uuid
        /g/123E4567-E89B-12D3-A456-426614174000 -> /g/:v(uuid) v=123E4567-E89B-12D3-A456-426614174000 ; capitals
        /g/123e4567e89b12d3a456426614174000 -> !routeNotFound ; a uuid has its dashes
        /g/123e4567-e89b-12d3-a456-42661417400 -> !routeNotFound ; a digit too few
        /g/123e4567-e89b-12d3-a456-4266141740000 -> !routeNotFound ; a digit too many
        /g/123e4567-e89b-12d3-a456-42661417400g -> !routeNotFound ; g is no hexadecimal digit
        /g/{23e4567-e89b-12d3-a456-42661417400} -> !routeNotFound ; braces are no digits
        /g/123e4567e-89b-12d3-a456-426614174000 -> !routeNotFound ; a dash in the wrong place
        @ /s/:v(slug)
        /s/hello-world -> /s/:v(slug) v=hello-world ; a slug
        /s/Hello_World-2 -> /s/:v(slug) v=Hello_World-2 ; capitals, digits and underscores
        /s/- -> /s/:v(slug) v=- ; a dash alone
        /s/a.b -> !routeNotFound ; a dot is in no slug
        /s/a%20b -> !routeNotFound ; a space is in no slug
        /s/é -> !routeNotFound ; a slug is ASCII
        @ /t/:v(string)
        /t/anything.at-all -> /t/:v(string) v=anything.at-all ; string takes anything
        @ [types] /m/:v(month)  /e/:v(even)
        /m/07 -> /m/:v(month) v=07 ; a registered type
        /m/13 -> !routeNotFound ; a registered type refuses
        /m/7 -> !routeNotFound ; a registered type sees the text, not the number
        /m/%30%37 -> /m/:v(month) v=07 ; a registered type sees the decoded text
        /e/4 -> /e/:v(even) v=4 ; a second registered type
        /e/5 -> !routeNotFound ; which refuses too

        # Text around a parameter
        @ /v:major
        /v1 -> /v:major major=1 ; text before
        /v -> !routeNotFound ; nothing after the text
        /V1 -> !routeNotFound ; text before is case-sensitive
        /xv1 -> !routeNotFound ; text before is at the beginning
        /vv -> /v:major major=v ; the value may repeat the text
        @ /:name.json
        /notes.json -> /:name.json name=notes ; text after
        /.json -> !routeNotFound ; nothing before the text
        /notes.jso -> !routeNotFound ; text after must be whole
        /notes.jsonx -> !routeNotFound ; text after is at the end
        /a.json.json -> /:name.json name=a.json ; the last occurrence ends the value
        /notesxjson -> !routeNotFound ; a dot is a dot
        @ /img-:id(uint)@2x
        /img-12@2x -> /img-:id(uint)@2x id=12 ; text on both sides of a typed value
        /img-@2x -> !routeNotFound ; no value between
        /img-x@2x -> !routeNotFound ; the type decides
        /img-12 -> !routeNotFound ; text after is missing
        /img-12%402x -> /img-:id(uint)@2x id=12 ; text after, written encoded
        /%69mg-%31%32@2x -> /img-:id(uint)@2x id=12 ; text before and value, written encoded
        @ /aa:x\aa
        /aaaa -> !routeNotFound ; before and after may not overlap
        /aaaaa -> /aa:x\aa x=a ; one byte between them
        @ /:id(string)px
        /12px -> /:id(string)px id=12 ; a type ends the name before a letter
        @ /:id\px
        /12px -> /:id\px id=12 ; an escape ends the name before a letter
        @ /é:x\é
        /é%C3%BCé -> /é:x\é x=ü ; text beyond ASCII around an encoded value
        /%C3%A9y%C3%A9 -> /é:x\é x=y ; text beyond ASCII, written encoded
        @ /averyverylongprefix-:x-averyverylongsuffix
        /averyverylongprefix-1-averyverylongsuffix -> /averyverylongprefix-:x-averyverylongsuffix x=1 ; long text
        /averyverylongprefix-1-averyverylongsuffiX -> !routeNotFound ; the last byte of long text differs
        /averyverylongprefiX-1-averyverylongsuffix -> !routeNotFound ; a middle byte of long text differs

        # Catch-all
        @ /files/*path
        /files/a -> /files/*path path=a ; one segment
        /files/a/b/c -> /files/*path path=a/b/c ; several
        /files -> !routeNotFound ; never none
        /files/ -> !routeNotFound ; a slash is no segment
        /files// -> !routeNotFound ; nor is an empty one alone
        /files//a -> /files/*path path=/a ; an empty segment before another is kept
        /files/a//b -> /files/*path path=a//b ; and between others
        /files/a/ -> /files/*path path=a ; one trailing slash is ignored
        /files/a// -> /files/*path path=a/ ; of two, one
        /files/a%2Fb/c -> /files/*path path=a/b/c ; an encoded slash is decoded in the value
        /files/.. -> /files/*path path=.. ; dots are kept
        /junk/files/a -> !routeNotFound ; matching begins at the beginning
        @ /*all
        /a -> /*all all=a ; a catch-all at the root
        /a/b -> /*all all=a/b ; with several segments
        / -> !routeNotFound ; but not the root itself
        @ /*all  /
        / -> / ; the root beside a catch-all
        @ /a/:x/*rest
        /a/1/2/3 -> /a/:x/*rest x=1, rest=2/3 ; after a parameter
        /a/1 -> !routeNotFound ; which leaves nothing for it
        @ [strict] /files/*path
        /files/a/ -> /files/*path path=a/ ; strict keeps the trailing slash in a catch-all
        /files/ -> !routeNotFound ; strict catch-all is not empty either

        # Optional groups
        @ /notes{/:id}
        /notes -> /notes{/:id} ; without the group
        /notes/5 -> /notes{/:id} id=5 ; with it
        /notes/ -> /notes{/:id} ; a trailing slash is not the group
        /notes/5/6 -> !routeNotFound ; the group is not repeated
        @ /a{/:b{/:c}}
        /a -> /a{/:b{/:c}} ; nested, none
        /a/1 -> /a{/:b{/:c}} b=1 ; nested, outer
        /a/1/2 -> /a{/:b{/:c}} b=1, c=2 ; nested, both
        /a/1/2/3 -> !routeNotFound ; nested, too many
        @ /a{/x/:b}{/y/:c}
        /a -> /a{/x/:b}{/y/:c} ; two groups, none
        /a/x/1 -> /a{/x/:b}{/y/:c} b=1 ; the first
        /a/y/2 -> /a{/x/:b}{/y/:c} c=2 ; the second
        /a/x/1/y/2 -> /a{/x/:b}{/y/:c} b=1, c=2 ; both
        /a/y/2/x/1 -> !routeNotFound ; in their order only
        @ {/:lang}/home
        /home -> {/:lang}/home ; a group at the beginning, left out
        /en/home -> {/:lang}/home lang=en ; and there
        @ {/:x}
        / -> {/:x} ; a pattern that is all group matches the root
        /1 -> {/:x} x=1 ; and its group
        @ /file{.:ext}
        /file -> /file{.:ext} ; a group inside a segment, left out
        /file.txt -> /file{.:ext} ext=txt ; and there
        /file. -> !routeNotFound ; its parameter is not empty
        @ /colo{u}r
        /color -> /colo{u}r ; a group of one letter, left out
        /colour -> /colo{u}r ; and there
        @ /a{/b}{/c}{/d}{/e}
        /a/b/c/d/e -> /a{/b}{/c}{/d}{/e} ; four groups, all
        /a/b/e -> /a{/b}{/c}{/d}{/e} ; four groups, two
        /a/e/b -> !routeNotFound ; four groups, out of order
        @ /docs{/*path}
        /docs -> /docs{/*path} ; an optional catch-all, left out
        /docs/a/b -> /docs{/*path} path=a/b ; and there
        @ /{:lang/}notes
        /notes -> /{:lang/}notes ; a group that ends with its slash, left out
        /en/notes -> /{:lang/}notes lang=en ; and there
        @ /a{/b}{/b}
        /a/b -> /a{/b}{/b} ; choices that spell the same path are one
        /a/b/b -> /a{/b}{/b} ; beside the choice of both

        # Precedence
        @ /n/new  /n/i-:a(int)  /n/i-:a  /n/:a(int)  /n/:a  /n/*a
        /n/new -> /n/new ; a literal goes first
        /n/i-5 -> /n/i-:a(int) a=5 ; then text with a type
        /n/i-x -> /n/i-:a a=x ; then text
        /n/5 -> /n/:a(int) a=5 ; then a type
        /n/x -> /n/:a a=x ; then a plain parameter
        /n/x/y -> /n/*a a=x/y ; then a catch-all
        /n/newer -> /n/:a a=newer ; a longer text is not the literal
        /n/i- -> /n/:a a=i- ; text without a value is a plain value
        /n/new/x -> /n/*a a=new/x ; a literal that leads nowhere is left again
        /n/5/x -> /n/*a a=5/x ; so is a typed parameter
        /n/i-5/x -> /n/*a a=i-5/x ; so is text with a type
        @ /x/a:p  /x/ab:p  /x/:p\b  /x/a:p\b
        /x/abc -> /x/ab:p p=c ; of two prefixes the longer
        /x/acb -> /x/a:p\b p=c ; more text in all goes before less
        /x/abcb -> /x/ab:p p=cb ; as much text: the longer prefix
        /x/cb -> /x/:p\b p=c ; a suffix alone
        /x/ac -> /x/a:p p=c ; a prefix alone
        /x/ab -> /x/a:p p=b ; a longer text without a value gives way
        @ /y/a:p(int)  /y/ab:p
        /y/ab5 -> /y/ab:p p=5 ; a type that refuses gives way to text
        /y/a5 -> /y/a:p(int) p=5 ; a type with text takes its own
        @ /z/a:p(slug)  /z/abc:p
        /z/abcd -> /z/a:p(slug) p=bcd ; a type with short text goes before long text without
        @ /w/:p(bool)  /w/:p(uint)  /w/:p(int)  /w/:p(uuid)  /w/:p(double)  /w/:p(slug)  /w/:p
        /w/true -> /w/:p(bool) p=true ; of types, bool is first
        /w/5 -> /w/:p(uint) p=5 ; then uint
        /w/-5 -> /w/:p(int) p=-5 ; then int
        /w/123e4567-e89b-12d3-a456-426614174000 -> /w/:p(uuid) p=123e4567-e89b-12d3-a456-426614174000 ; then uuid
        /w/5.5 -> /w/:p(double) p=5.5 ; then double
        /w/5e5 -> /w/:p(double) p=5e5 ; double before slug
        /w/a-b -> /w/:p(slug) p=a-b ; then slug
        /w/a.b -> /w/:p p=a.b ; then any
        @ [types] /q/:p(even)  /q/:p(month)  /q/:p(uint)
        /q/12 -> /q/:p(month) p=12 ; registered types in the order of the options
        /q/4 -> /q/:p(even) p=4 ; the second of them
        /q/13 -> /q/:p(uint) p=13 ; before the built-in ones
        @ /a/b/c  /a/:x/d  /:y/b/e  /:y/:z/f  /*r
        /a/b/c -> /a/b/c ; all literal
        /a/b/d -> /a/:x/d x=b ; back one segment
        /a/b/e -> /:y/b/e y=a ; back two segments
        /a/b/f -> /:y/:z/f y=a, z=b ; back two, with both captured again
        /a/b/g -> /*r r=a/b/g ; back to the root
        /a/q/d -> /a/:x/d x=q ; the parameter branch at once
        /q/b/e -> /:y/b/e y=q ; a parameter and then a literal
        /a/b -> /*r r=a/b ; nothing ends here but the catch-all
        @ /users/:id/posts  /users/:name/likes  /users/me
        /users/5/posts -> /users/:id/posts id=5 ; the same place under one name
        /users/5/likes -> /users/:name/likes name=5 ; and under another
        /users/me -> /users/me ; a literal sibling of both
        /users/me/posts -> /users/:id/posts id=me ; a literal sibling does not hide the parameter
        @ /s/*a  /s/:x/t  /s/u/*b
        /s/1/t -> /s/:x/t x=1 ; a parameter before a catch-all
        /s/1/v -> /s/*a a=1/v ; whose tail fails
        /s/u/t -> /s/u/*b b=t ; a deeper catch-all after a literal goes first
        /s/u -> /s/*a a=u ; which needs a segment of its own
        @ /p/:a/:b/x  /p/:a/*c
        /p/1/2/x -> /p/:a/:b/x a=1, b=2 ; the longer row of parameters
        /p/1/2/y -> /p/:a/*c a=1, c=2/y ; captured values are rolled back
        @ /f/v:a/x  /f/:b/y
        /f/v1/y -> /f/:b/y b=v1 ; text is rolled back to a whole segment

        """##
}
