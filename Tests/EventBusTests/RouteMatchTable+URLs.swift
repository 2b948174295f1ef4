/// The rows about whole URLs: slashes, case, query, fragment, escapes, scheme and host.
extension RouteMatchTableTests {
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
        @ [strict] /a{/}
        /a -> /a{/} ; strict with an optional slash, without
        /a/ -> /a{/} ; and with
        @ /a/  /b
        /a -> /a/ ; a slash at the end of a pattern is ignored too
        /a/ -> /a/ ; both ignored
        /b/ -> /b ; ignored in the path
        @ [strict] /a//b
        /a//b -> /a//b ; an empty segment in a pattern is itself
        /a/b -> !routeNotFound ; and is needed

        # Collapsing
        @ [collapse] /a/b  /c/:x  /d/*r  /
        //a///b -> /a/b ; empty segments are passed over
        /a//b/ -> /a/b ; with a trailing slash
        /a//b// -> /a/b ; with two
        // -> / ; slashes alone are the root
        /// -> / ; any number of them
        /c//1 -> /c/:x x=1 ; before a parameter
        /d//a//b -> /d/*r r=a//b ; inside a catch-all they stay
        @ [collapse] [strict] /a  /b/  /
        //a -> /a ; strict and collapsing
        /a// -> !routeNotFound ; a slash at the end still counts
        /b// -> /b/ ; several count as one
        // -> / ; the root has none

        # Case
        @ [nocase] /Notes/New  /notes/v:X\End  /ÉT/:id(uuid)
        /notes/new -> /Notes/New ; small letters
        /NOTES/NEW -> /Notes/New ; capitals
        /nOtEs/VabEND -> /notes/v:X\End X=ab ; text around a value, whose own case is kept
        /NOTES/vAbend -> /notes/v:X\End X=Ab ; the value's capitals stay
        /Ét/123e4567-e89b-12d3-a456-426614174000 -> /ÉT/:id(uuid) id=123e4567-e89b-12d3-a456-426614174000 ; T as t
        /ét/123e4567-e89b-12d3-a456-426614174000 -> !routeNotFound ; letters beyond ASCII keep their case
        @ [nocase] /@  /[x  /averylongliteralsegment/x
        /` -> !routeNotFound ; the neighbour before A is no letter
        /{x -> !routeNotFound ; the neighbour after Z is no letter
        /[X -> /[x ; neighbours match themselves
        /AVERYLONGLITERALSEGMENT/X -> /averylongliteralsegment/x ; texts over a word

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
        @ /a(b)/:x(int)(c)
        /a(b)/5(c) -> /a(b)/:x(int)(c) x=5 ; parentheses that follow no name are text

        # Scheme and host
        @ /n/:id  https://example.com/n/:id  https://*/n/:id  *://example.com/n/:id  *://*/n/:id  app://notes/:id
        /n/1 -> /n/:id id=1 ; a bare path meets the bare pattern
        https://example.com/n/1 -> https://example.com/n/:id id=1 ; scheme and host
        HTTPS://EXAMPLE.com/n/1 -> https://example.com/n/:id id=1 ; in any case
        https://other.org/n/1 -> https://*/n/:id id=1 ; any host of a scheme
        ftp://example.com/n/1 -> *://example.com/n/:id id=1 ; any scheme of a host
        ftp://other.org/n/1 -> *://*/n/:id id=1 ; any scheme, any host
        app://notes/7 -> app://notes/:id id=7 ; the host of an app's own scheme
        app://notes -> !routeNotFound ; which is no segment of the path
        app://n/1 -> !routeNotFound ; nor is another host
        https://example.com/N/1 -> !routeNotFound ; the path keeps its case
        https://user:pw@example.com/n/1 -> https://example.com/n/:id id=1 ; a user's name is no host
        https://example.com@evil.org/n/1 -> https://*/n/:id id=1 ; a host before @ is none
        https://example.com:8080/n/1 -> https://*/n/:id id=1 ; a port makes another host
        https://example.com.evil.org/n/1 -> https://*/n/:id id=1 ; a longer host is another host
        https:///n/1 -> !invalidAuthority ; a URL of the web has a host
        app:///n/1 -> !routeNotFound ; any host is not no host
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
        @ https://a.org/x/:p  https://*/x/y
        https://a.org/x/y -> https://a.org/x/:p p=y ; the host goes before the path
        https://b.org/x/y -> https://*/x/y ; another host
        @ https://a.org/x  https://*/y
        https://a.org/y -> https://*/y ; a host that leads nowhere is left again
        @ git+ssh://h/x
        git+ssh://h/x -> git+ssh://h/x ; a scheme of several words
        """##
}
