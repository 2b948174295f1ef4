/// The patterns after an `@`, then paths, their expected matches, and the purpose of each row.
extension RouteMatchTableTests {
    /// The rows about segments.
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
        @ /café  /日本/語  /🎈
        /café -> /café ; literals beyond ASCII, written raw
        /caf%C3%A9 -> /café ; the same, written encoded
        /日本/語 -> /日本/語 ; three-byte characters
        /%E6%97%A5本/%E8%AA%9E -> /日本/語 ; half encoded
        /🎈 -> /🎈 ; a four-byte character
        /cafe%CC%81 -> /café ; another normal form is the same text
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

        # Precedence
        @ /n/new  /n/:a(int)  /n/:a  /n/*a
        /n/new -> /n/new ; a literal goes first
        /n/5 -> /n/:a(int) a=5 ; then a type
        /n/x -> /n/:a a=x ; then a plain parameter
        /n/x/y -> /n/*a a=x/y ; then a catch-all
        /n/newer -> /n/:a a=newer ; a longer text is not the literal
        /n/new/x -> /n/*a a=new/x ; a literal that leads nowhere is left again
        /n/5/x -> /n/*a a=5/x ; so is a typed parameter
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
        """##

    /// The rows about whole URLs: slashes, case, query, fragment, escapes, scheme and host.
    static let urlTable = ##"""
        # Trailing slashes
        @ [strict] /a  /b/  /c/:x  /d/:x/  /
        /a -> /a ; strict without
        /a/ -> !routeNotFound ; strict, one too many
        /b/ -> /b/ ; strict with
        /b -> !routeNotFound ; strict, one too few
        /c/1 -> /c/:x x=1 ; strict parameter without
        /c/1/ -> !routeNotFound ; strict parameter, one too many
        /d/1/ -> /d/:x/ x=1 ; strict parameter with
        /d/1 -> !routeNotFound ; strict parameter, one too few
        / -> / ; strict root
        // -> !routeNotFound ; strict root, one too many
        /c/ -> !routeNotFound ; strict, an empty value
        @ /a/  /b
        /a -> /a/ ; a slash at the end of a pattern is ignored too
        /a/ -> /a/ ; both ignored
        /b/ -> /b ; ignored in the path
        @ [strict] /a//b
        /a//b -> /a//b ; an empty segment in a pattern is itself
        /a/b -> !routeNotFound ; and is needed

        # Case
        @ [nocase] /Notes/New  /notes/By/:X  /ÉT/:id(uuid)
        /notes/new -> /Notes/New ; small letters
        /NOTES/NEW -> /Notes/New ; capitals
        /nOtEs/bY/aB -> /notes/By/:X X=aB ; the case of a value stays
        /Ét/123e4567-e89b-12d3-a456-426614174000 -> /ÉT/:id(uuid) id=123e4567-e89b-12d3-a456-426614174000 ; T as t
        /ét/123e4567-e89b-12d3-a456-426614174000 -> !routeNotFound ; letters beyond ASCII keep their case
        @ [nocase] /@  /[x
        /` -> !routeNotFound ; the neighbour before A is no letter
        /{x -> !routeNotFound ; the neighbour after Z is no letter
        /[X -> /[x ; neighbours match themselves

        # Query and fragment
        @ /notes/:id  /notes
        /notes/5?x=1 -> /notes/:id id=5 ; a query takes no part
        /notes?x=/notes/5 -> /notes ; not even with slashes in it
        /notes/5#top -> /notes/:id id=5 ; nor does a fragment
        /notes/5#a/b?c -> /notes/:id id=5 ; with slashes and a question mark
        /notes/5?a#b?c -> /notes/:id id=5 ; query and fragment
        /notes/5? -> /notes/:id id=5 ; an empty query
        /notes/5# -> /notes/:id id=5 ; an empty fragment
        /notes/?x=1 -> /notes ; a trailing slash before a query is ignored
        /notes/5/?x=1 -> /notes/:id id=5 ; after a value too
        /notes/a%3Fb -> /notes/:id id=a?b ; an encoded question mark is text
        /notes/a%23b -> /notes/:id id=a#b ; an encoded hash is text
        /notes/?/5 -> /notes ; what follows the question mark is no path
        @ /
        /?x -> / ; the root with a query
        /#x -> / ; the root with a fragment

        # Escapes in patterns
        @ /a\:b  /c\*d  /e\{f\}  /g\?h  /i\#j  /k\\l  /m\/n  /100\%  /50%  /\%41
        /a:b -> /a\:b ; an escaped colon
        /c*d -> /c\*d ; an escaped star
        /e{f} -> /e\{f\} ; escaped braces
        /g%3Fh -> /g\?h ; an escaped question mark is matched encoded
        /i%23j -> /i\#j ; an escaped hash is matched encoded
        /k\l -> /k\\l ; an escaped backslash
        /m%2Fn -> /m\/n ; an escaped slash is a slash inside a segment
        /m/n -> !routeNotFound ; which no separator matches
        /100%25 -> /100\% ; an escaped percent sign
        /50%25 -> /50% ; a percent sign that begins no escape
        /%2541 -> /\%41 ; an escaped percent sign before digits
        /A -> !routeNotFound ; which is not decoded
        @ /a_SPACE_b/:x
        /a b/c d -> /a_SPACE_b/:x x=c d ; raw spaces
        /a%20b/c%20d -> /a_SPACE_b/:x x=c d ; encoded spaces
        @ /a(b)/:x(int)
        /a(b)/5 -> /a(b)/:x(int) x=5 ; parentheses that follow no name are text

        # Scheme and host
        @ /n/:id  https://example.com/n/:id  https://other.org/n/:id  app://notes/:id
        /n/1 -> /n/:id id=1 ; a path has no host
        https://example.com/n/1 -> https://example.com/n/:id id=1 ; scheme and host
        HTTPS://EXAMPLE.com/n/1 -> https://example.com/n/:id id=1 ; in any case
        https://other.org/n/1 -> https://other.org/n/:id id=1 ; another host
        ftp://example.com/n/1 -> !routeNotFound ; another scheme
        app://notes/7 -> app://notes/:id id=7 ; the host of an app's own scheme
        app://notes -> !routeNotFound ; which is no segment of the path
        app://n/1 -> !routeNotFound ; nor is another host
        https://example.com/N/1 -> !routeNotFound ; the path keeps its case
        https://user:pw@example.com/n/1 -> https://example.com/n/:id id=1 ; a user's name is no host
        https://example.com@evil.org/n/1 -> !routeNotFound ; a host before @ is none
        https://example.com:8080/n/1 -> !routeNotFound ; a port makes another host
        https://example.com.evil.org/n/1 -> !routeNotFound ; a longer host is another host
        https:///n/1 -> !invalidAuthority ; a URL of the web has a host
        app:///n/1 -> !routeNotFound ; no host is another host
        https://example.com/n/1?q#f -> https://example.com/n/:id id=1 ; query and fragment after a host
        https://example.com/n/%31 -> https://example.com/n/:id id=1 ; encoded after a host
        //example.com/n/1 -> !routeNotFound ; a path of slashes has no host
        n/1 -> !pathNotAbsolute@0 ; a relative path
        1app://x/n -> !pathNotAbsolute@0 ; a scheme begins with a letter
        https:/n/1 -> !pathNotAbsolute@0 ; one slash makes no host
        mailto:ann@example.com -> !pathNotAbsolute@0 ; a URL without slashes
        ?x=1 -> !pathNotAbsolute@0 ; a query alone
        #x -> !pathNotAbsolute@0 ; a fragment alone
        @ https://example.com/  app://h:80/a  app://[::1]:80/a  file:///x
        https://example.com -> https://example.com/ ; no path is the root
        https://example.com/ -> https://example.com/ ; the root
        https://example.com?x -> https://example.com/ ; no path before a query
        https://example.com#x -> https://example.com/ ; no path before a fragment
        app://h:80/a -> app://h:80/a ; a port
        app://h/a -> !routeNotFound ; without its port
        app://[::1]:80/a -> app://[::1]:80/a ; an IPv6 address
        file:///x -> file:///x ; an empty host
        file://h/x -> !routeNotFound ; is not any host
        @ git+ssh://h/x
        git+ssh://h/x -> git+ssh://h/x ; a scheme of several words
        """##
}
